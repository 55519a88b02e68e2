package org.sallyport.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class JsonFormatterTest {
    private static final String ID = "01a20e94-4699-7000-a816-398132037b8f";
    private final JsonFormatter formatter = new JsonFormatter();

    @Test
    void recordIsOneJsonObjectOnOneLine() {
        LogRecord entry = entry(Level.WARNING, "the database does not answer: {0}", "nobody\nlistens");

        assertThat(formatter.format(entry))
                .isEqualTo("{\"time\":\"2026-11-24T17:22:19.053Z\",\"level\":\"WARN\","
                        + "\"logger\":\"org.sallyport.runner.ExecutionSweeper\","
                        + "\"thread\":7,\"message\":\"the database does not answer: nobody\\nlistens\"}\n");
    }

    @Test
    void executionIdInTheMessageIsAMember() {
        assertThat(formatter.format(entry(Level.INFO, "execution {0} was on a node that is gone", ID + "#2")))
                .contains("\"execution\":\"" + ID + "\",\"attempt\":2}")
                .doesNotContain("\"trace\"");
        assertThat(formatter.format(entry(Level.INFO, "execution " + ID + " could not be claimed")))
                .endsWith("\"execution\":\"" + ID + "\"}\n");
        assertThat(formatter.format(entry(Level.INFO, "call {0} of {1} could not be refunded", 3, ID + "#1")))
                .endsWith("\"execution\":\"" + ID + "\",\"attempt\":1}\n");
        assertThat(formatter.format(entry(Level.INFO, "approval " + ID + ": its decision is delivered again")))
                .doesNotContain("\"execution\"");
    }

    @Test
    void traceIdOfTheExecutionIsAMember() {
        TraceIdRegistry.executionStarted("01a20e94-0000-7000-a816-398132037b8f", "0af7651916cd43dd8448eb211c80319c");

        assertThat(formatter.format(entry(Level.INFO, "execution 01a20e94-0000-7000-a816-398132037b8f#1 goes on")))
                .endsWith("\"attempt\":1,\"trace\":\"0af7651916cd43dd8448eb211c80319c\"}\n");
    }

    @Test
    void rememberedTracesAreBounded() {
        for (int each = 0; each < 20_001; each++) {
            TraceIdRegistry.executionStarted("execution " + each, "trace");
        }

        assertThat(TraceIdRegistry.find("execution 0")).isEmpty();
        assertThat(TraceIdRegistry.find("execution 10001")).contains("trace");
    }

    @Test
    void hostileTextCannotAddALineOrMember() {
        String evil = "\"}\r\n{\"level\":\"INFO\"} \\ \u0000\u001b[2J \u202eecila \u2028 \ud800 ü 😀";

        String line = formatter.format(entry(Level.INFO, "{0}", evil));

        assertThat(line)
                .contains("\"message\":\"\\\"}\\r\\n{\\\"level\\\":\\\"INFO\\\"} \\\\ \\u0000\\u001b[2J \\u202eecila "
                        + "\\u2028 \\ud800 ü 😀\"}");
        assertThat(line.lines()).hasSize(1);
    }

    @Test
    void exceptionIsWrittenWithItsStackTrace() {
        LogRecord entry = entry(Level.SEVERE, "a sweep failed");
        entry.setThrown(new IllegalStateException("no \"rows\""));

        assertThat(formatter.format(entry))
                .contains(
                        "\"level\":\"ERROR\"",
                        "\"error\":\"java.lang.IllegalStateException: no \\\"rows\\\"\\n\\tat org.sallyport.logging.");
    }

    @Test
    void recordsOfOtherLoggersHaveNoExecutionMember() {
        LogRecord entry = entry(Level.INFO, "execution " + ID);
        entry.setLoggerName("org.example.Driver");

        assertThat(formatter.format(entry)).doesNotContain("\"execution\"");
    }

    private static LogRecord entry(Level level, String message, Object... parameters) {
        LogRecord entry = new LogRecord(level, message);
        entry.setLoggerName("org.sallyport.runner.ExecutionSweeper");
        entry.setInstant(Instant.parse("2026-11-24T17:22:19.053211Z"));
        entry.setLongThreadID(7);
        entry.setParameters(parameters);
        return entry;
    }
}
