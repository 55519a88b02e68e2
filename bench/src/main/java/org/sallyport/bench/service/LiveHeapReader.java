package org.sallyport.bench.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Reads the size of the live heap of a Java VM with {@code jcmd}, which comes with the JDK. */
final class LiveHeapReader {
    private static final Path JCMD = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    private static final int BYTES_COLUMN = 2;

    private LiveHeapReader() {}

    /** Returns the live heap in bytes; empty if {@code jcmd} is missing or fails. */
    static OptionalLong read(long pid) {
        if (!Files.isExecutable(JCMD)) {
            return OptionalLong.empty();
        }
        try {
            // Two collections, because the histogram collects again: the objects that one collection makes unreachable
            // are freed by the next.
            runJcmd(pid, "GC.run");
            return parseTotalBytes(runJcmd(pid, "GC.class_histogram").stream());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * Returns the bytes of the last line of a class histogram. This line holds {@code Total}, the number of objects,
     * and their size.
     */
    static OptionalLong parseTotalBytes(Stream<String> lines) {
        return lines.filter(line -> line.startsWith("Total "))
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length > BYTES_COLUMN)
                .mapToLong(words -> Long.parseLong(words[BYTES_COLUMN]))
                .findFirst();
    }

    private static List<String> runJcmd(long pid, String what) throws IOException {
        Process process = new ProcessBuilder(JCMD.toString(), Long.toString(pid), what)
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            return lines.lines().toList();
        }
    }
}
