package org.sallyport.connector.mcp;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads what a process says on its error stream and keeps the end of it. Thread-safe. */
final class LastWords {
    private static final int KEPT = 1_000;

    private final StringBuilder words = new StringBuilder();

    /** Reads to the end. */
    void read(InputStream from) {
        byte[] chunk = new byte[8_192];
        try (from) {
            for (int count = from.read(chunk); count >= 0; count = from.read(chunk)) {
                keep(new String(chunk, 0, count, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // It was ended.
        }
    }

    private synchronized void keep(String said) {
        words.append(said);
        if (words.length() > KEPT) {
            words.delete(0, words.length() - KEPT);
        }
    }

    /** As the end of a sentence; empty when nothing was said. */
    synchronized String shown() {
        String text = words.toString().strip().replaceAll("\\p{Cntrl}+", " ");
        return text.isEmpty() ? "" : "; it last said: " + text;
    }
}
