package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.inject.Inject;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.ExampleConnector;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/** A jar in the directory {@code lib/ext} of the data directory is replaced, removed and broken between starts. */
@Tag("slow")
class ExtensionJarRestartIT {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(120);
    private static final String DESCRIPTION = "Price in euros and duration of a transport.";

    private final ServerSetup setup = ServerSetup.create("extension-jar");
    private final Path directory = setup.dataDirectory().resolve("lib/ext");
    private final Path jar = directory.resolve(ExampleConnector.JAR);

    @Test
    void jarIsLoadedAtTheStartAndMissedWhenItIsGone() throws IOException {
        ExampleConnector.copyTo(directory);
        try (SallyportServer server = setup.start()) {
            awaitState(server.api(), "ready");
            assertThat(quote(server.api()).at("/result/days").asInt()).isEqualTo(3);
            server.stop();

            ExampleConnector.copyTo(directory, recompiled(Map.of(DESCRIPTION, "Price in dollars.")));
            restart(server);
            JsonNode changed = awaitState(server.api(), "ready");
            assertThat(changed.path("quarantinedCount").asInt()).isEqualTo(1);
            assertThat(quote(server.api()).at("/error/code").asText()).isEqualTo("tool-quarantined");
            server.stop();

            Files.delete(jar);
            restart(server);
            JsonNode removed = awaitState(server.api(), "down");
            assertThat(removed.at("/status/lastError").asText())
                    .startsWith("this node does not host it: it has no bean of this name");
            assertThat(removed.path("toolCount").asInt()).isZero();
            JsonNode failed = quote(server.api());
            assertThat(failed.at("/error/code").asText()).as(failed.toString()).isEqualTo("backend-unavailable");
            assertThat(failed.at("/error/message").asText()).contains("not hosted by this node");
            server.stop();

            Files.writeString(jar, "half a jar");
            server.startProcess();
            assertStartFails(server, jar + ": is not a readable jar; copy it again");
        }
    }

    /** The container finds this fault itself. */
    @Test
    void unsatisfiedInjectionStopsTheStartWithClassAndMember() throws IOException {
        ExampleConnector.copyTo(
                directory,
                recompiled(Map.of(
                        "@ApplicationScoped\npublic class FreightTariffs", "public abstract class FreightTariffs")));
        try (SallyportServer server = setup.launch()) {
            assertStartFails(server, "com.example.freight.FreightBackend.tariffs");
        }
    }

    private static void restart(SallyportServer server) {
        server.startProcess();
        server.awaitReady();
    }

    private static void assertStartFails(SallyportServer server, String named) {
        Await.until(
                "the log names " + named, START_TIMEOUT, () -> server.logText().contains(named) || !server.isAlive());
        assertThat(server.logText()).contains(named);
        assertThat(server.api().withoutKey().get("/health/ready").status()).isNotEqualTo(200);
    }

    private static JsonNode awaitState(RestClient api, String state) {
        return Await.untilPresent(
                "the backend is " + state,
                START_TIMEOUT,
                () -> Optional.of(api.get("/api/v1/backends/freight").json())
                        .filter(backend -> backend.at("/status/state").asText().equals(state)));
    }

    private static JsonNode quote(RestClient api) {
        return api.run(SubmissionBody.javascript("return await freight.quote({ country: 'SE', weight: 2 });"));
    }

    /** Returns the jar of the example, compiled after {@code replacements} in its sources. */
    private static Path recompiled(Map<String, String> replacements) throws IOException {
        Path sources = ServerSetup.temporaryDirectory();
        Path classes = ServerSetup.temporaryDirectory();
        Path example = CheckoutPaths.root().resolve("examples/java-connector/src/main/java/com/example/freight");
        List<Path> files;
        try (Stream<Path> all = Files.list(example)) {
            files = all.toList();
        }
        for (Path file : files) {
            String text = Files.readString(file);
            for (Map.Entry<String, String> replacement : replacements.entrySet()) {
                text = text.replace(replacement.getKey(), replacement.getValue());
            }
            Files.writeString(sources.resolve(file.getFileName().toString()), text);
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
                Stream<Path> copies = Files.list(sources)) {
            StringWriter errors = new StringWriter();
            List<String> options = List.of(
                    "-parameters", "-proc:none", "--release", "17", "-cp", classPath(), "-d", classes.toString());
            assertThat(compiler.getTask(
                                    errors,
                                    manager,
                                    null,
                                    options,
                                    null,
                                    manager.getJavaFileObjectsFromPaths(copies.toList()))
                            .call())
                    .as(errors.toString())
                    .isTrue();
        }
        Path jar = ServerSetup.temporaryDirectory().resolve("freight.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream packed = new JarOutputStream(out);
                Stream<Path> written = Files.walk(classes)) {
            for (Path file : written.filter(Files::isRegularFile).toList()) {
                packed.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                packed.write(Files.readAllBytes(file));
            }
        }
        return jar;
    }

    /** The API of connectors, and Jakarta EE. */
    private static String classPath() {
        Path api = CheckoutPaths.root().resolve("connector-api/target/classes");
        assertThat(api).isDirectory();
        String jakarta =
                Inject.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        return api + File.pathSeparator + jakarta;
    }
}
