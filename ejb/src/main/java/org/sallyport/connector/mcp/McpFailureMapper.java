package org.sallyport.connector.mcp;

import java.util.Optional;
import org.sallyport.connector.BackendConnection.BackendRequest;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Maps failures of calls that have no answer to tool results. Only a call that certainly had no effect, or may be
 * repeated, is one that its backend could not take.
 */
final class McpFailureMapper {
    private McpFailureMapper() {}

    static ToolResult toToolResult(BackendRequest call, McpFailure failure) {
        String tool = "'" + call.tool() + "'";
        if (failure instanceof McpFailure.RequestNotSent) {
            return ToolResult.failure(
                    ToolErrorCode.BACKEND_UNAVAILABLE, tool + " could not be sent: " + failure.reason());
        }
        if (failure instanceof McpFailure.RequestRefused refused) {
            ToolErrorCode code = code(refused.status(), call.repeatable());
            return new ToolResult.ToolFailure(new ToolError(
                    code,
                    tool + " failed: " + refused.reason() + effectNote(code),
                    Optional.of(McpJson.toJson(refused.details()))));
        }
        ToolErrorCode code = lostCallCode(call);
        return ToolResult.failure(code, tool + " was not answered: " + failure.reason() + effectNote(code));
    }

    /** The result of a call whose connection was closed before its answer. */
    static ToolResult connectionClosed(BackendRequest call) {
        ToolErrorCode code = lostCallCode(call);
        return ToolResult.failure(
                code,
                "the connection to the server was lost while '" + call.tool() + "' was called" + effectNote(code));
    }

    /** The same codes as those of operations of an HTTP API, except that such a server may fail after an effect. */
    private static ToolErrorCode code(int status, boolean repeatable) {
        if (status == 429 || status == 503) {
            return ToolErrorCode.BACKEND_UNAVAILABLE;
        }
        if (status < 500) {
            return ToolErrorCode.TOOL_FAILED; // the server answered that it did not make the call
        }
        if (!repeatable) {
            return ToolErrorCode.OUTCOME_UNKNOWN;
        }
        return status == 502 || status == 504 ? ToolErrorCode.BACKEND_UNAVAILABLE : ToolErrorCode.TOOL_FAILED;
    }

    private static ToolErrorCode lostCallCode(BackendRequest call) {
        return call.repeatable() ? ToolErrorCode.BACKEND_UNAVAILABLE : ToolErrorCode.OUTCOME_UNKNOWN;
    }

    private static String effectNote(ToolErrorCode code) {
        return code == ToolErrorCode.OUTCOME_UNKNOWN ? "; it may have had its effect" : "";
    }
}
