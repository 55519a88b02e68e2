package org.sallyport.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.sallyport.bench.measure.LatencyRecorder;
import org.sallyport.bench.measure.WrongResultException;

class ToolCallBenchmarkTest {
    private static final String TRACE = """
            [{"type": "state", "at": "2026-01-01T00:00:00Z", "state": "RUNNING"},
             {"type": "tool_start", "at": "2026-01-01T00:00:00.001Z", "call": 1},
             {"type": "tool_end", "at": "2026-01-01T00:00:00.002Z", "call": 1, "success": true},
             {"type": "tool_start", "at": "2026-01-01T00:00:00.004Z", "call": 2},
             {"type": "tool_end", "at": "2026-01-01T00:00:00.005Z", "call": 2, "success": %s}]
            """;

    @Test
    void callLatencyIsFromItsStartToTheNextStart() throws Exception {
        LatencyRecorder latencies = ToolCallBenchmark.callLatencies(events("true"), 2);

        assertThat(latencies.count()).isOne();
        assertThat(latencies.p50()).isCloseTo(3, within(0.01));
    }

    @Test
    void failedCallIsAWrongResult() {
        assertThatThrownBy(() -> ToolCallBenchmark.callLatencies(events("false"), 2))
                .isInstanceOf(WrongResultException.class);
    }

    @Test
    void missingCallIsAWrongResult() {
        assertThatThrownBy(() -> ToolCallBenchmark.callLatencies(events("true"), 3))
                .isInstanceOf(WrongResultException.class);
    }

    private static JsonNode events(String success) throws Exception {
        return new ObjectMapper().readTree(TRACE.formatted(success));
    }
}
