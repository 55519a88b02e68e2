package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CancelOnInterruptTest {
    /** Exit code of a Java VM that SIGTERM ended. */
    private static final int TERMINATED = 128 + 15;

    @TempDir
    Path directory;

    @Test
    @Timeout(180)
    void interruptedRunCancelsItsExecutionAndReportsIt() throws Exception {
        Files.writeString(directory.resolve("endless.js"), "for (;;);");
        try (FakeService service = new FakeService()) {
            service.stage("RUNNING", "'output':'here I go\\n'");
            Process run = start(service, "run", "endless.js", "--no-trace");
            try (BufferedReader out =
                    new BufferedReader(new InputStreamReader(run.getInputStream(), StandardCharsets.UTF_8))) {
                assertThat(out.readLine()).isEqualTo("here I go");
                // SIGTERM, as from a service manager. SIGINT (Ctrl-C) takes the same path.
                run.destroy();

                assertThat(run.waitFor(90, TimeUnit.SECONDS)).isTrue();
                assertThat(run.exitValue()).isEqualTo(ExitCode.CANCELLED.code());
                assertThat(service.requests).contains("POST /api/v1/executions/" + FakeService.ID + "/cancel");
                assertThat(Files.readString(directory.resolve("err"))).contains("Cancelling", "CANCELLED");
            } finally {
                run.destroyForcibly();
            }
        }
    }

    @Test
    @Timeout(180)
    void interruptedBatchContinuesAndTheCommandSaysHowToCancelIt() throws Exception {
        Files.writeString(directory.resolve("all.ndjson"), "{\"code\":\"for (;;);\"}\n");
        String batch = "{\"id\":\"b1\",\"total\":1,\"refused\":0,\"finished\":false,\"counts\":{\"RUNNING\":1}}";
        try (FakeService service = new FakeService()) {
            service.answer("POST /api/v1/batches", 202, batch).answer("GET /api/v1/batches/b1", 200, batch);
            Process run = start(service, "batch", "all.ndjson");
            try {
                service.awaitRequest("GET /api/v1/batches/b1");
                run.destroy();

                assertThat(run.waitFor(90, TimeUnit.SECONDS)).isTrue();
                assertThat(run.exitValue()).isEqualTo(TERMINATED);
                assertThat(Files.readString(directory.resolve("err")))
                        .contains("Batch b1 continues.", "sallyport batches cancel b1");
                assertThat(service.requests).noneMatch(request -> request.contains("/cancel"));
            } finally {
                run.destroyForcibly();
            }
        }
    }

    private Process start(FakeService service, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "org.sallyport.cli.CliMain"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(directory.toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().put("SALLYPORT_URL", service.url());
        builder.environment().put("SALLYPORT_KEY", FakeService.KEY);
        return builder.start();
    }
}
