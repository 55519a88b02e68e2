package org.sallyport.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.cli.api.ApiTrace.ApiToolCall;

class TraceWaterfallTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final TerminalStyle ASCII = new TerminalStyle(72, false, false);

    @Test
    void parallelCallsAreDrawnOnSeparateLines() {
        List<ApiToolCall> calls = List.of(
                call("demo.add", 0, 10),
                call("demo.clock", 0, 20),
                call("demo.slow", 0, 200),
                call("demo.echo", 300, 400));

        assertThat(draw(calls, START, START.plusMillis(400))).isEqualTo("""
                                         0                                    400 ms
                          1  demo.add    ##                                               10 ms
                          2  demo.clock  ###                                              20 ms
                          3  demo.slow   ######################                          200 ms
                          4  demo.echo                                   ###########     100 ms
                        """);
    }

    @Test
    void failedAndOpenCallsAreMarked() {
        List<ApiToolCall> calls = List.of(
                new ApiToolCall(
                        "demo.fail", START, Optional.of(START.plusMillis(50)), false, "tool-failed: no\u001b[2J"),
                new ApiToolCall("demo.slow", START.plusMillis(50), Optional.empty(), true, ""));

        assertThat(draw(calls, START, START.plusMillis(100))).isEqualTo("""
                                        0                                     100 ms
                          1  demo.fail  ######################                            50 ms  tool-failed: no\\u00~
                          2  demo.slow                        ......................       open
                        """);
    }

    @Test
    void toolNamesAreEscapedForTheTerminal() {
        assertThat(draw(List.of(call("a\u001b]0;x\u0007\n9  fake", 0, 1)), START, START.plusMillis(1)))
                .contains("a\\u001b]0;x\\u0007\\u000a9  f~")
                .doesNotContain("\u001b");
    }

    @Test
    void longTraceOmitsItsMiddleUnlessAllCallsAreRequested() {
        List<ApiToolCall> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            calls.add(call("demo.echo", i, i + 1));
        }

        assertThat(new TraceWaterfall(ASCII, false).lines(calls, Optional.empty(), Optional.empty()))
                .hasSize(32)
                .anyMatch(line -> line.strip().equals("70 more calls"))
                .anyMatch(line -> line.startsWith("  100  demo.echo"));
        assertThat(new TraceWaterfall(ASCII, true).lines(calls, Optional.empty(), Optional.empty()))
                .hasSize(101);
    }

    @Test
    void traceWithoutCallsDrawsNoLines() {
        assertThat(draw(List.of(), START, START)).isEmpty();
    }

    private static ApiToolCall call(String tool, long from, long until) {
        return new ApiToolCall(tool, START.plusMillis(from), Optional.of(START.plusMillis(until)), true, "");
    }

    private static String draw(List<ApiToolCall> calls, Instant from, Instant until) {
        StringBuilder drawn = new StringBuilder();
        new TraceWaterfall(ASCII, false)
                .lines(calls, Optional.of(from), Optional.of(until))
                .forEach(line -> drawn.append(line).append('\n'));
        return drawn.toString();
    }
}
