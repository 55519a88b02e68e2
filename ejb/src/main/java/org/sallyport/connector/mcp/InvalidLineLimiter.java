package org.sallyport.connector.mcp;

import java.util.function.LongSupplier;
import org.sallyport.connector.TokenBucket;

/**
 * Limits the lines of a server that are no messages, such as lines of its log. A few lines after each message are
 * always allowed, others at a rate. Not thread-safe.
 */
final class InvalidLineLimiter {
    static final int BURST = 2_000;
    static final int LINES_PER_SECOND = 200;
    static final int LINES_PER_MESSAGE = 10;

    private final TokenBucket otherLines;
    private int linesOfMessage;

    InvalidLineLimiter(LongSupplier nanoTime) {
        this.otherLines = new TokenBucket(BURST, LINES_PER_SECOND, nanoTime);
    }

    /** Records a message. */
    void recordMessage() {
        linesOfMessage = LINES_PER_MESSAGE;
    }

    /** Counts a line that is no message; false if there were too many. */
    boolean tryAcquire() {
        if (linesOfMessage > 0) {
            linesOfMessage--;
            return true;
        }
        return otherLines.tryAcquire();
    }
}
