package org.sallyport.connector.mcp;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.sallyport.secret.Redaction;

/** Reads what a process says on its error stream and keeps the end of it. Thread-safe. */
final class LastWords {
    private static final int SHOWN = 1_000;
    /** A secret that is cut off at the beginning could not be told any more. */
    private static final int KEPT = 32_768;

    private final StringBuilder words = new StringBuilder();
    private final CountDownLatch read = new CountDownLatch(1);

    /** Reads to the end. */
    void read(InputStream from) {
        byte[] chunk = new byte[8_192];
        try (from) {
            for (int count = from.read(chunk); count >= 0; count = from.read(chunk)) {
                keep(new String(chunk, 0, count, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // It was ended.
        } finally {
            read.countDown();
        }
    }

    /** Waits until all that was said is read, {@code millis} at most: somebody else may hold the stream open. */
    void await(long millis) throws InterruptedException {
        read.await(millis, TimeUnit.MILLISECONDS);
    }

    private synchronized void keep(String said) {
        words.append(said);
        if (words.length() > KEPT) {
            words.delete(0, words.length() - KEPT);
        }
    }

    /** As the end of a sentence, without secrets; empty when nothing was said. */
    synchronized String shown(Redaction redaction) {
        String clean = redaction.of(words.toString().strip()).replaceAll("\\p{Cntrl}+", " ");
        String text = clean.substring(Math.max(0, clean.length() - SHOWN));
        return text.isEmpty() ? "" : "; it last said: " + text;
    }
}
