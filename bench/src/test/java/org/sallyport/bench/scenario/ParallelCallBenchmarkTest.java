package org.sallyport.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.sallyport.bench.measure.WrongResultException;

class ParallelCallBenchmarkTest {
    private static final String TRACE = """
            [{"type": "tool_start", "at": "2026-01-01T00:00:00.002Z", "call": 2},
             {"type": "tool_start", "at": "2026-01-01T00:00:00.001Z", "call": 1},
             {"type": "tool_end", "at": "2026-01-01T00:00:00.054Z", "call": 2, "success": true},
             {"type": "tool_end", "at": "2026-01-01T00:00:00.051Z", "call": 1, "success": %s}]
            """;

    @Test
    void totalDurationIsFromTheFirstStartToTheLastEnd() throws Exception {
        assertThat(ParallelCallBenchmark.totalDuration(events("true"), 2)).isEqualTo(Duration.ofMillis(53));
    }

    @Test
    void failedOrMissingCallIsAWrongResult() {
        assertThatThrownBy(() -> ParallelCallBenchmark.totalDuration(events("false"), 2))
                .isInstanceOf(WrongResultException.class);
        assertThatThrownBy(() -> ParallelCallBenchmark.totalDuration(events("true"), 3))
                .isInstanceOf(WrongResultException.class);
    }

    private static JsonNode events(String success) throws Exception {
        return new ObjectMapper().readTree(TRACE.formatted(success));
    }
}
