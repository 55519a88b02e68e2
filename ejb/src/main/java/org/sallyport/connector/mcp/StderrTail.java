package org.sallyport.connector.mcp;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.sallyport.secret.Redactor;

/** Reads what a process says on its error stream and keeps the end of it. Thread-safe. */
final class StderrTail {
    private static final int MAX_SHOWN_CHARS = 1_000;
    /** A secret that is cut off at the beginning could not be told any more. */
    private static final int MAX_KEPT_CHARS = 32_768;

    private final StringBuilder tail = new StringBuilder();
    private final CountDownLatch endReached = new CountDownLatch(1);

    /** Reads to the end. */
    void read(InputStream from) {
        byte[] chunk = new byte[8_192];
        try (from) {
            for (int count = from.read(chunk); count >= 0; count = from.read(chunk)) {
                append(new String(chunk, 0, count, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // It was ended.
        } finally {
            endReached.countDown();
        }
    }

    /** Waits until all that was said is read, {@code millis} at most: somebody else may hold the stream open. */
    void awaitEnd(long millis) throws InterruptedException {
        endReached.await(millis, TimeUnit.MILLISECONDS);
    }

    private synchronized void append(String said) {
        tail.append(said);
        if (tail.length() > MAX_KEPT_CHARS) {
            tail.delete(0, tail.length() - MAX_KEPT_CHARS);
        }
    }

    /** As the end of a sentence, without secrets; empty when nothing was said. */
    synchronized String describe(Redactor redaction) {
        String clean = redaction.redact(tail.toString().strip()).replaceAll("\\p{Cntrl}+", " ");
        String text = clean.substring(Math.max(0, clean.length() - MAX_SHOWN_CHARS));
        return text.isEmpty() ? "" : "; it last said: " + text;
    }
}
