package org.sallyport.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The exit is observed in a process of its own. */
class FatalErrorExitTest {
    private static final String CONTINUED = "the process continued";
    private static final String CLEANED_UP = "a shutdown hook ran";

    /** Lets a thread end with an error, and prints whether the process continues after that. */
    static final class FailingProcess {
        private FailingProcess() {}

        public static void main(String[] arguments) throws InterruptedException {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(CLEANED_UP)));
            Thread failing = new Thread(() -> fail(arguments[0]));
            failing.setUncaughtExceptionHandler(FatalErrorExit::handleUncaught);
            failing.start();
            failing.join();
            System.out.println(CONTINUED);
        }

        private static void fail(String how) {
            switch (how) {
                case "memory" -> throw new OutOfMemoryError("Cannot reserve 1048576 bytes of direct buffer memory");
                case "cause" ->
                    throw new IllegalStateException(
                            new IllegalStateException(new OutOfMemoryError("Required length exceeds limit")));
                default -> throw new IllegalStateException(how);
            }
        }
    }

    private record ProcessEnd(int exitCode, String output) {}

    private static ProcessEnd run(String how) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FailingProcess.class.getName(),
                        how)
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return new ProcessEnd(process.exitValue(), output);
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "cause"})
    void processEndsAtOnceWhenMemoryHasRunOut(String how) throws Exception {
        ProcessEnd end = run(how);

        assertThat(end.exitCode()).isEqualTo(FatalErrorExit.EXIT_CODE);
        assertThat(end.output())
                .contains("Terminating due to", "OutOfMemoryError")
                .doesNotContain(CONTINUED)
                .doesNotContain(CLEANED_UP);
    }

    @Test
    void processContinuesAfterAnotherError() throws Exception {
        ProcessEnd end = run("another error");

        assertThat(end.exitCode()).isZero();
        assertThat(end.output()).contains("has ended with an error", "another error", CONTINUED, CLEANED_UP);
    }
}
