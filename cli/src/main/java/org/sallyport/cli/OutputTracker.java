package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.terminal.Terminal;

/** What of one execution has been shown: its streams, each character once, and whom it waits for. */
final class OutputTracker {
    private final Terminal terminal;
    private final boolean streaming;
    private long outputOffset;
    private long errorOffset;
    private boolean waitingForApproval;

    /**
     * @param visible whether the streams are shown while they grow
     */
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

    /** How much of both streams has been shown. */
    long shownLength() {
        return outputOffset + errorOffset;
    }

    /** Shows what an answer holds that was asked with the present offsets. */
    void show(ApiExecution execution) {
        if (streaming) {
            noteApprovalWait(execution);
            ApiExecution.ApiOutputChunk output = execution.output();
            ApiExecution.ApiOutputChunk errorOutput = execution.errorOutput();
            terminal.printScriptOutput(output.text());
            terminal.printScriptErrorOutput(errorOutput.text());
            outputOffset = output.nextOffset(outputOffset);
            errorOffset = errorOutput.nextOffset(errorOffset);
        }
    }

    /** Shows a piece of a stream, as an event tells it. */
    void show(boolean error, JsonNode piece) {
        String text = ApiJson.text(piece, "text");
        long end = piece.path("offset").asLong() + text.length();
        long seen = error ? errorOffset : outputOffset;
        // What a stream that was taken up again tells a second time.
        String fresh = end <= seen ? "" : text.substring((int) Math.max(0, text.length() - (end - seen)));
        if (error) {
            terminal.printScriptErrorOutput(fresh);
            errorOffset = Math.max(end, seen);
        } else {
            terminal.printScriptOutput(fresh);
            outputOffset = Math.max(end, seen);
        }
    }

    /** Whether there is more of it than was shown. */
    boolean hasMore(ApiExecution execution) {
        return streaming
                && (execution.output().totalLength().orElse(0) > outputOffset
                        || execution.errorOutput().totalLength().orElse(0) > errorOffset);
    }

    /** Once each time: whoever watches is to know that nothing happens until somebody acts. */
    void noteApprovalWait(ApiExecution execution) {
        boolean asks =
                ApiJson.text(execution.json().path("waitingFor"), "reason").equals("approval");
        if (asks && !waitingForApproval) {
            terminal.printNote("Waits for a person: sallyport approvals");
        }
        waitingForApproval = asks;
    }
}
