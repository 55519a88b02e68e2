package org.sallyport.bench.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Asks a Java VM what its heap holds after a collection, by the tool that comes with Java. */
final class LiveHeapReader {
    private static final Path JCMD = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    private static final int BYTES_COLUMN = 2;

    private LiveHeapReader() {}

    /** In bytes; nothing where the tool is missing or is not answered. */
    static OptionalLong read(long pid) {
        if (!Files.isExecutable(JCMD)) {
            return OptionalLong.empty();
        }
        try {
            // Some objects are let go by one collection and freed by the next.
            runJcmd(pid, "GC.run");
            return parseTotalBytes(runJcmd(pid, "GC.class_histogram").stream());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** The last line of such a list says {@code Total}, how many objects there are, and how large they are. */
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
