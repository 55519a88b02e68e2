package org.sallyport.cli.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.cli.api.Trace.Call;

class TraceTest {
    @Test
    void startAndEndOfACallAreBroughtTogetherByItsNumber() throws Exception {
        Trace trace = trace("""
                {"seq":1,"type":"tool_start","at":"2026-01-01T00:00:00Z","call":1,"tool":"demo.slow"}""", """
                {"seq":2,"type":"tool_start","at":"2026-01-01T00:00:00.100Z","call":2,"tool":"demo.slow"}""", """
                {"seq":3,"type":"tool_end","at":"2026-01-01T00:00:00.200Z","call":2,"tool":"demo.slow","success":false,
                 "error":{"code":"timeout","message":"too slow"}}""", """
                {"seq":4,"type":"state","at":"2026-01-01T00:00:00.300Z"}""");

        assertThat(trace.calls())
                .containsExactly(
                        new Call("demo.slow", Instant.parse("2026-01-01T00:00:00Z"), Optional.empty(), true, ""),
                        new Call(
                                "demo.slow",
                                Instant.parse("2026-01-01T00:00:00.100Z"),
                                Optional.of(Instant.parse("2026-01-01T00:00:00.200Z")),
                                false,
                                "timeout: too slow"));
    }

    @Test
    void anEndWithoutAStartBeganItsDurationEarlier() throws Exception {
        Trace trace = trace("""
                {"seq":1,"type":"TOOL-END","at":"2026-01-01T00:00:01Z","call":1,"tool":"demo.add","durationMillis":250}""");

        assertThat(trace.calls()).extracting(Call::start).containsExactly(Instant.parse("2026-01-01T00:00:00.750Z"));
    }

    private static Trace trace(String... events) throws JsonProcessingException {
        List<TraceEvent> list = new ArrayList<>();
        for (String event : events) {
            list.add(new TraceEvent(Json.parse(event)));
        }
        return new Trace(list);
    }
}
