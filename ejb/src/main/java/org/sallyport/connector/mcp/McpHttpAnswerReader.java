package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Reads the messages of a response with a status of success that is no stream of events. */
final class McpHttpAnswerReader {
    private final McpHttpFailureReader failures;
    private final int maxMessageBytes;

    McpHttpAnswerReader(McpHttpFailureReader failures, int maxMessageBytes) {
        this.failures = failures;
        this.maxMessageBytes = maxMessageBytes;
    }

    /**
     * Returns the messages; throws {@link McpFailure.McpFailureException} if there are none.
     *
     * @param requestId the request that the response answers, also if its body does not say so
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
            return McpMessageReader.read(body);
        } catch (IOException | RuntimeException e) {
            // Either an error without an id, or JSON that is not accepted.
            return List.of(McpHttpFailureReader.findJsonRpcError(body)
                    .map(error -> RawResponses.readResponse(Map.of("id", requestId, "error", error)))
                    .orElseGet(() -> StrictMcpJsonMapper.unreadableResponse(requestId, FailureMessages.of(e))));
        }
    }
}
