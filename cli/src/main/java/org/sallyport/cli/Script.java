package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.terminal.Terminal;

/** What of one execution has been shown: its streams, each character once, and whom it waits for. */
final class Script {
    private final Terminal terminal;
    private final boolean visible;
    private long outputOffset;
    private long errorOffset;
    private boolean asking;

    /**
     * @param visible whether the streams are shown while they grow
     */
    Script(Terminal terminal, boolean visible) {
        this.terminal = terminal;
        this.visible = visible;
    }

    boolean visible() {
        return visible;
    }

    long outputOffset() {
        return outputOffset;
    }

    long errorOffset() {
        return errorOffset;
    }

    /** How much of both streams has been shown. */
    long shown() {
        return outputOffset + errorOffset;
    }

    /** Shows what an answer holds that was asked with the present offsets. */
    void show(Execution execution) {
        if (visible) {
            tellWhoIsAsked(execution);
            Execution.Chunk output = execution.output();
            Execution.Chunk errorOutput = execution.errorOutput();
            terminal.scriptOutput(output.text());
            terminal.scriptErrorOutput(errorOutput.text());
            outputOffset = output.next(outputOffset);
            errorOffset = errorOutput.next(errorOffset);
        }
    }

    /** Shows a piece of a stream, as an event tells it. */
    void show(boolean error, JsonNode piece) {
        String text = Json.text(piece, "text");
        long end = piece.path("offset").asLong() + text.length();
        long seen = error ? errorOffset : outputOffset;
        // What a stream that was taken up again tells a second time.
        String fresh = end <= seen ? "" : text.substring((int) Math.max(0, text.length() - (end - seen)));
        if (error) {
            terminal.scriptErrorOutput(fresh);
            errorOffset = Math.max(end, seen);
        } else {
            terminal.scriptOutput(fresh);
            outputOffset = Math.max(end, seen);
        }
    }

    /** Whether there is more of it than was shown. */
    boolean behind(Execution execution) {
        return visible
                && (execution.output().total().orElse(0) > outputOffset
                        || execution.errorOutput().total().orElse(0) > errorOffset);
    }

    /** Once each time: whoever watches is to know that nothing happens until somebody acts. */
    void tellWhoIsAsked(Execution execution) {
        boolean asks = Json.text(execution.json().path("waitingFor"), "reason").equals("approval");
        if (asks && !asking) {
            terminal.note("Waits for a person: sallyport approvals");
        }
        asking = asks;
    }
}
