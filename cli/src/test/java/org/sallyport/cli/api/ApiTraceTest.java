package org.sallyport.cli.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.cli.api.ApiTrace.ApiToolCall;

class ApiTraceTest {
    @Test
    void startAndEndOfACallAreMatchedByItsNumber() throws Exception {
        ApiTrace trace = trace("""
                {"seq":1,"type":"tool_start","at":"2026-01-01T00:00:00Z","call":1,"tool":"demo.slow"}""", """
                {"seq":2,"type":"tool_start","at":"2026-01-01T00:00:00.100Z","call":2,"tool":"demo.slow"}""", """
                {"seq":3,"type":"tool_end","at":"2026-01-01T00:00:00.200Z","call":2,"tool":"demo.slow","success":false,
                 "error":{"code":"timeout","message":"too slow"}}""", """
                {"seq":4,"type":"state","at":"2026-01-01T00:00:00.300Z"}""");

        assertThat(trace.calls())
                .containsExactly(
                        new ApiToolCall("demo.slow", Instant.parse("2026-01-01T00:00:00Z"), Optional.empty(), true, ""),
                        new ApiToolCall(
                                "demo.slow",
                                Instant.parse("2026-01-01T00:00:00.100Z"),
                                Optional.of(Instant.parse("2026-01-01T00:00:00.200Z")),
                                false,
                                "timeout: too slow"));
    }

    /** A running execution may report the start of a call before an execution runs for it. */
    @ParameterizedTest
    @ValueSource(strings = {"capability_start", "tool_start"})
    void capabilityCallsAreReadAsCalls(String start) throws Exception {
        ApiTrace trace = trace("""
                {"seq":1,"type":"%s","at":"2026-01-01T00:00:00Z","call":1,"tool":"shop.fees"}""".formatted(start), """
                {"seq":2,"type":"capability_start","at":"2026-01-01T00:00:00Z","call":2,"tool":"capabilities.shop.fees",
                 "capability":"shop.fees@1.0.0","execution":"0190163d-8694-739b-aea5-966c26f8ad91"}""", """
                {"seq":3,"type":"capability_end","at":"2026-01-01T00:00:01Z","call":1,"tool":"shop.fees","success":true,
                 "capability":"shop.fees@1.0.0","execution":"0190163d-8694-739b-aea5-966c26f8ad90"}""");

        Instant began = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(trace.calls())
                .containsExactly(
                        new ApiToolCall(
                                "shop.fees", began, Optional.of(Instant.parse("2026-01-01T00:00:01Z")), true, ""),
                        new ApiToolCall("capabilities.shop.fees", began, Optional.empty(), true, ""));
        assertThat(trace.json().at("/events/2/execution").asText()).endsWith("90");
    }

    @Test
    void missingStartIsDerivedFromEndAndDuration() throws Exception {
        ApiTrace trace = trace("""
                {"seq":1,"type":"TOOL-END","at":"2026-01-01T00:00:01Z","call":1,"tool":"demo.add",\
                "durationMillis":250}""");

        assertThat(trace.calls())
                .extracting(ApiToolCall::start)
                .containsExactly(Instant.parse("2026-01-01T00:00:00.750Z"));
    }

    private static ApiTrace trace(String... events) throws JsonProcessingException {
        List<ApiTraceEvent> list = new ArrayList<>();
        for (String event : events) {
            list.add(new ApiTraceEvent(ApiJson.parse(event)));
        }
        return new ApiTrace(list);
    }
}
