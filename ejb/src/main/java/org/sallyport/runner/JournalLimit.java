package org.sallyport.runner;

import org.sallyport.execution.AdditionalLimit;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.journal.JournalSize;
import org.sallyport.tool.Json;
import org.sallyport.tool.PlainText;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Keeps the journal of one execution within its limit: a call that does not fit is refused before it is sent, and a
 * reply that does not fit is replaced by an error. Beyond the limit, each call adds at most {@value #SMALL_BYTES} bytes
 * and what the journal counts for its entries. Thread-safe.
 */
final class JournalLimit {
    /** Replies up to this size are always kept: an error in place of one would be no smaller. */
    private static final int SMALL_BYTES = 1_000;

    /** A script shows the message of a call that failed, and readers need no longer one. */
    private static final int MAX_MESSAGE_LENGTH = 20_000;

    private static final int SMALL_MESSAGE_LENGTH = 200;

    private final JournalBuffer entries;
    private final int maxBytes;

    JournalLimit(ClaimedExecution claim, EngineServices context, JournalBuffer entries) {
        this.entries = entries;
        this.maxBytes = claim.limits()
                .additional(AdditionalLimit.JOURNAL_BYTES, context.limits().journalBytes());
    }

    /** Returns whether the journal has room for a call with these arguments. */
    boolean hasRoomFor(Json arguments) {
        return hasRoomFor(JournalSize.ofText(arguments.text()));
    }

    private boolean hasRoomFor(long bytes) {
        return entries.journalBytes() + bytes <= maxBytes;
    }

    /** Returns the reply to a call that the journal has no room for. */
    ToolReply refusal(ToolName tool) {
        return ToolReply.notSent(ToolResult.failure(
                ToolErrorCode.JOURNAL_LIMIT,
                "'" + tool + "' was not called: the journal of this execution, with the arguments and results of its"
                        + " calls, exceeds its limit of " + maxBytes
                        + " bytes with this call; raise limits.journalBytes, or send and return less"));
    }

    /**
     * Returns the reply if it fits into the journal, otherwise the error in its place. The call was made. A long
     * message of an error is shortened in any case.
     */
    ToolReply fit(ToolName tool, ToolReply reply) {
        if (reply.result() instanceof ToolResult.ToolSuccess success) {
            long bytes = JournalSize.ofText(success.value().text());
            return bytes <= SMALL_BYTES || hasRoomFor(bytes)
                    ? reply
                    : reply.withResult(
                            ToolResult.failure(
                                    ToolErrorCode.TOO_LARGE,
                                    "'" + tool + "' was called, but its result of " + bytes
                                            + " bytes is not kept: the journal of this execution may have " + maxBytes
                                            + " bytes; raise limits.journalBytes, or return less"),
                            reply.attempts());
        } else if (reply.result() instanceof ToolResult.ToolFailure failure) {
            ToolError error = failure.error();
            ToolError shown = new ToolError(
                    error.code(), PlainText.shorten(error.message(), MAX_MESSAGE_LENGTH), error.details());
            long bytes = JournalSize.ofError(shown);
            boolean fits = bytes <= SMALL_BYTES || hasRoomFor(bytes);
            return reply.withResult(new ToolResult.ToolFailure(fits ? shown : shorten(shown)), reply.attempts());
        }
        return reply;
    }

    private ToolError shorten(ToolError error) {
        return new ToolError(
                error.code(),
                PlainText.shorten(error.message(), SMALL_MESSAGE_LENGTH)
                        + " (the rest of the error is not kept: the journal of this execution may have " + maxBytes
                        + " bytes; raise limits.journalBytes)");
    }
}
