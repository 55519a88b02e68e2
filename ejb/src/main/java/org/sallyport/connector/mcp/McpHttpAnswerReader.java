package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.sallyport.tool.PlainText;

/** Reads the messages of a response with a status of success that is no stream of events. */
final class McpHttpAnswerReader {
    private static final int MAX_SHOWN_ID_LENGTH = 100;

    private final McpHttpFailureReader failures;
    private final int maxMessageBytes;

    McpHttpAnswerReader(McpHttpFailureReader failures, int maxMessageBytes) {
        this.failures = failures;
        this.maxMessageBytes = maxMessageBytes;
    }

    /**
     * Returns the messages; throws {@link McpFailure.McpFailureException} if there are none.
     *
     * @param requestId the request that the response answers, also if its body has no id or another one
     */
    List<JSONRPCMessage> read(Object requestId, McpHttpResponse response) {
        boolean isJson = response.mediaType().isEmpty() || response.mediaType().endsWith("json");
        String body = response.body();
        if (!isJson || body.isBlank() && !response.tooLong()) {
            throw new McpFailure.McpFailureException(
                    new McpFailure.RequestUnanswered(failures.describeNoAnswer(response)));
        }
        if (response.tooLong()) {
            return List.of(McpEventListener.tooLongResponse(requestId, maxMessageBytes));
        }
        try {
            List<JSONRPCMessage> messages = McpMessageReader.read(body);
            return messages.size() == 1
                            && messages.get(0) instanceof JSONRPCResponse only
                            && !requestId.equals(only.id())
                    ? List.of(withId(requestId, only))
                    : messages;
        } catch (IOException | RuntimeException e) {
            // Either an error without an id, or JSON that is not accepted.
            return List.of(McpHttpFailureReader.findJsonRpcError(body)
                    .map(error -> RawResponses.readResponse(Map.of("id", requestId, "error", error)))
                    .orElseGet(() -> StrictMcpJsonMapper.unreadableResponse(requestId, FailureMessages.of(e))));
        }
    }

    /** Some servers give their errors an id of their own. A result with another id may belong to another request. */
    private static JSONRPCMessage withId(Object requestId, JSONRPCResponse response) {
        return response.error() == null
                ? StrictMcpJsonMapper.unreadableResponse(
                        requestId,
                        "it has the id '"
                                + PlainText.singleLine(String.valueOf(response.id()), MAX_SHOWN_ID_LENGTH)
                                + "' of another request")
                : JSONRPCResponse.error(requestId, response.error());
    }
}
