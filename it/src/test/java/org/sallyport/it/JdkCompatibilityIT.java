package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/** Starts the service on each Java installation of this machine, version 17 or newer, and runs a script there. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
class JdkCompatibilityIT {
    private static final int MIN_VERSION = 17;
    private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"(\\d+)");

    static Stream<Path> installations() throws IOException {
        TreeSet<Path> found = new TreeSet<>();
        found.add(Path.of(System.getProperty("java.home")).toRealPath());
        Path usual = Path.of("/usr/lib/jvm");
        if (Files.isDirectory(usual)) {
            try (Stream<Path> entries = Files.list(usual)) {
                for (Path entry :
                        entries.filter(JdkCompatibilityIT::isSupported).toList()) {
                    found.add(entry.toRealPath());
                }
            }
        }
        return found.stream();
    }

    private static boolean isSupported(Path installation) {
        Path release = installation.resolve("release");
        if (!Files.isExecutable(installation.resolve("bin/java")) || !Files.isRegularFile(release)) {
            return false;
        }
        try {
            Matcher version = VERSION.matcher(Files.readString(release));
            return version.find() && Integer.parseInt(version.group(1)) >= MIN_VERSION;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("installations")
    void theServiceStartsAndRunsAScript(Path installation) {
        try (SallyportServer server = ServerSetup.create("jdk")
                .withJavaProgram(installation.resolve("bin/java"))
                .start()) {
            JsonNode ended = server.api()
                    .run(SubmissionBody.typescript("const sum: number = await demo.add({ a: 40, b: 2 }); return sum;"));

            assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
            assertThat(ended.path("result").asInt()).isEqualTo(42);
        }
    }
}
