package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;

/** Tracks the shown part of one execution: its streams, each character once, and the approvals that it waits for. */
final class OutputTracker {
    private final Terminal terminal;
    private final boolean streaming;
    private long outputOffset;
    private long errorOffset;
    private boolean waitingForApproval;

    /** @param visible whether the streams are shown while they grow */
    OutputTracker(Terminal terminal, boolean visible) {
        this.terminal = terminal;
        this.streaming = visible;
    }

    boolean isStreaming() {
        return streaming;
    }

    long outputOffset() {
        return outputOffset;
    }

    long errorOffset() {
        return errorOffset;
    }

    /** Returns the number of shown characters of both streams. */
    long shownLength() {
        return outputOffset + errorOffset;
    }

    /** Shows the output in a response to a request with the current offsets. */
    void show(ApiExecution execution) {
        if (streaming) {
            ApiExecution.ApiOutputChunk output = execution.output();
            ApiExecution.ApiOutputChunk errorOutput = execution.errorOutput();
            terminal.printScriptOutput(output.text());
            terminal.printScriptErrorOutput(errorOutput.text());
            outputOffset = output.nextOffset(outputOffset);
            errorOffset = errorOutput.nextOffset(errorOffset);
        }
    }

    /** Returns whether a response to a request with the current offsets has text of both streams. */
    boolean isMixed(ApiExecution execution) {
        return !execution.output().text().isEmpty()
                && !execution.errorOutput().text().isEmpty();
    }

    /** Shows a piece of output that names its stream. */
    void showPiece(JsonNode piece) {
        show(ApiJson.text(piece, "stream").equals("error-output"), piece);
    }

    /** Shows the piece of a stream in an event. */
    void show(boolean error, JsonNode piece) {
        String text = ApiJson.text(piece, "text");
        long end = piece.path("offset").asLong() + text.length();
        long seen = error ? errorOffset : outputOffset;
        // A stream that was reconnected may repeat output.
        String fresh = end <= seen ? "" : text.substring((int) Math.max(0, text.length() - (end - seen)));
        if (error) {
            terminal.printScriptErrorOutput(fresh);
            errorOffset = Math.max(end, seen);
        } else {
            terminal.printScriptOutput(fresh);
            outputOffset = Math.max(end, seen);
        }
    }

    /** Returns whether the execution has more output than was shown. */
    boolean hasMore(ApiExecution execution) {
        return streaming
                && (execution.output().totalLength().orElse(0) > outputOffset
                        || execution.errorOutput().totalLength().orElse(0) > errorOffset);
    }

    /** Prints a note once per wait, so that the user knows that the execution waits for an approval. */
    void noteApprovalWait(ApiExecution execution) {
        boolean asks =
                ApiJson.text(execution.json().path("waitingFor"), "reason").equals("approval");
        if (asks && !waitingForApproval) {
            terminal.printNote("Waiting for an approval. See: sallyport approvals");
        }
        waitingForApproval = asks;
    }
}
