package org.sallyport.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.NodeJsPackages;

/** Checks the format of all JavaScript and the types of the console's. Starts no server. */
class ConsoleSourcesIT {
    private static final long TIMEOUT_SECONDS = 300;
    private static final Path SOURCES = CheckoutPaths.root().resolve("web/src/main/webapp/console");
    private static final Path CONFIGURATION = CheckoutPaths.root().resolve("it/src/test/node-console");

    @Test
    void sourcesHaveTheFormatOfPrettier() throws Exception {
        Path directory = NodeJsPackages.consoleCheckDirectory();
        runProgram(
                directory,
                "prettier",
                "--check",
                "--config",
                CONFIGURATION.resolve("prettier.json").toString(),
                SOURCES + "/**/*.{js,css}",
                CheckoutPaths.root() + "/sandbox/src/*/resources/**/*.js",
                CheckoutPaths.root() + "/{examples,it/src/test/connectors,it/src/test/node-conformance}/**/*.mjs");
    }

    @Test
    void typesInTheSourcesMatch() throws Exception {
        Path directory = NodeJsPackages.consoleCheckDirectory();
        Path copy = directory.resolve("console");
        copySources(copy);
        Path vendor = Files.createDirectories(copy.resolve("vendor"));
        Files.writeString(vendor.resolve("preact.js"), "export * from \"preact\";\n");
        Files.writeString(vendor.resolve("hooks.js"), "export * from \"preact/hooks\";\n");
        Files.copy(
                CONFIGURATION.resolve("tsconfig.json"),
                directory.resolve("tsconfig.json"),
                StandardCopyOption.REPLACE_EXISTING);
        runProgram(directory, "tsc", "--project", "tsconfig.json");
    }

    private static void copySources(Path copy) throws IOException {
        if (Files.exists(copy)) {
            try (Stream<Path> old = Files.walk(copy)) {
                for (Path path : old.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
        try (Stream<Path> sources = Files.walk(SOURCES)) {
            for (Path source : sources.toList()) {
                Files.copy(source, copy.resolve(SOURCES.relativize(source).toString()));
            }
        }
    }

    private static void runProgram(Path directory, String program, String... arguments) throws Exception {
        File output = Files.createTempFile(directory, program, ".log").toFile();
        Process process = new ProcessBuilder(Stream.concat(
                                Stream.of(directory
                                        .resolve("node_modules/.bin/" + program)
                                        .toString()),
                                List.of(arguments).stream())
                        .toList())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        try {
            assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue())
                    .as("%s; run it as CONTRIBUTING.md says:%n%s", program, Files.readString(output.toPath()))
                    .isZero();
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(output.toPath());
        }
    }
}
