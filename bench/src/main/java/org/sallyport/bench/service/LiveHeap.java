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
final class LiveHeap {
    private static final Path TOOL = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    private static final int BYTES = 2;

    private LiveHeap() {}

    /** In bytes; nothing where the tool is missing or is not answered. */
    static OptionalLong of(long pid) {
        if (!Files.isExecutable(TOOL)) {
            return OptionalLong.empty();
        }
        try {
            // Some objects are let go by one collection and freed by the next.
            ask(pid, "GC.run");
            return total(ask(pid, "GC.class_histogram").stream());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** The last line of such a list says {@code Total}, how many objects there are, and how large they are. */
    static OptionalLong total(Stream<String> lines) {
        return lines.filter(line -> line.startsWith("Total "))
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length > BYTES)
                .mapToLong(words -> Long.parseLong(words[BYTES]))
                .findFirst();
    }

    private static List<String> ask(long pid, String what) throws IOException {
        Process process = new ProcessBuilder(TOOL.toString(), Long.toString(pid), what)
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            return lines.lines().toList();
        }
    }
}
