package org.sallyport.web.mcp;

import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import org.jspecify.annotations.Nullable;

/** Ends the handling of a message with a JSON-RPC error. */
final class JsonRpcException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int code;
    private final transient @Nullable Object id;

    /** @param id of the request that is at fault, when it has one */
    JsonRpcException(int code, @Nullable Object id, String message) {
        super(message);
        this.code = code;
        this.id = id;
    }

    static JsonRpcException invalidRequest(@Nullable Object id, String message) {
        return new JsonRpcException(ErrorCodes.INVALID_REQUEST, id, message);
    }

    static JsonRpcException invalidParams(@Nullable Object id, String message) {
        return new JsonRpcException(ErrorCodes.INVALID_PARAMS, id, message);
    }

    int code() {
        return code;
    }

    @Nullable Object id() {
        return id;
    }

    /** Of a request that was one, the error is the answer; what was none is a bad request. */
    int httpStatus() {
        return id == null || code == ErrorCodes.INVALID_REQUEST ? 400 : 200;
    }
}
