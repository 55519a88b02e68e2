package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CancelOnInterruptTest {
    @TempDir
    Path directory;

    @Test
    @Timeout(180)
    void interruptedRunCancelsItsExecutionAndReportsIt() throws Exception {
        Files.writeString(directory.resolve("endless.js"), "for (;;);");
        try (FakeService service = new FakeService()) {
            service.stage("RUNNING", "'output':'here I go\\n'");
            Process run = run(service);
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

    private Process run(FakeService service) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "org.sallyport.cli.CliMain",
                "run",
                "endless.js",
                "--no-trace");
        builder.directory(directory.toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().put("SALLYPORT_URL", service.url());
        builder.environment().put("SALLYPORT_KEY", FakeService.KEY);
        return builder.start();
    }
}
