package org.sallyport.connector.mcp;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.PlainText;

/** Reads the error stream of a process and keeps its last part. Thread-safe. */
final class StderrTail {
    private static final int MAX_SHOWN_CHARS = 1_000;
    /** Larger than the shown part, because a secret whose beginning is cut off cannot be recognized. */
    private static final int MAX_KEPT_CHARS = 32_768;

    private final StringBuilder tail = new StringBuilder();
    private final CountDownLatch endReached = new CountDownLatch(1);

    /** Reads until the end of the stream. */
    void read(InputStream from) {
        byte[] chunk = new byte[8_192];
        try (from) {
            for (int count = from.read(chunk); count >= 0; count = from.read(chunk)) {
                append(new String(chunk, 0, count, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // The process was ended.
        } finally {
            endReached.countDown();
        }
    }

    /** Waits until the stream is read to its end, at most {@code millis}: another process may hold the stream open. */
    void awaitEnd(long millis) throws InterruptedException {
        endReached.await(millis, TimeUnit.MILLISECONDS);
    }

    private synchronized void append(String said) {
        tail.append(said);
        if (tail.length() > MAX_KEPT_CHARS) {
            tail.delete(0, tail.length() - MAX_KEPT_CHARS);
        }
    }

    /** Returns the tail as the end of a sentence, with secrets redacted; empty if there was no output. */
    synchronized String describe(Redactor redaction) {
        String clean = PlainText.singleLine(redaction.redact(tail.toString().strip()), Integer.MAX_VALUE);
        String text = clean.substring(Math.max(0, clean.length() - MAX_SHOWN_CHARS));
        return text.isEmpty() ? "" : "; last error output: " + text;
    }
}
