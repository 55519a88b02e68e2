package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The trace of one execution: all its events in order. */
public record ApiTrace(List<ApiTraceEvent> events) {
    public ApiTrace {
        events = List.copyOf(events);
    }

    /** Returns the document for {@code --json}: the events of all pages, without a cursor. */
    public JsonNode json() {
        var json = ApiJson.object();
        var array = json.putArray("events");
        events.forEach(event -> array.add(event.json()));
        return json;
    }

    /** Returns the tool and capability calls, in the order in which they started. */
    public List<ApiToolCall> calls() {
        Map<String, ApiTraceEvent> open = new LinkedHashMap<>();
        Map<String, ApiToolCall> calls = new LinkedHashMap<>();
        for (ApiTraceEvent event : events) {
            String key = key(event);
            if (event.type().endsWith("_start")) {
                open.put(key, event);
                openCall(event).ifPresent(call -> calls.put(key, call));
            } else if (event.type().endsWith("_end")) {
                finishedCall(Optional.ofNullable(open.remove(key)), event).ifPresent(call -> calls.put(key, call));
            }
        }
        return new ArrayList<>(calls.values());
    }

    private static String key(ApiTraceEvent event) {
        return event.call().isEmpty() ? event.tool() : event.call();
    }

    private static Optional<ApiToolCall> openCall(ApiTraceEvent start) {
        return start.at().map(at -> new ApiToolCall(start.tool(), at, Optional.empty(), true, ""));
    }

    private static Optional<ApiToolCall> finishedCall(Optional<ApiTraceEvent> start, ApiTraceEvent end) {
        if (end.at().isEmpty()) {
            return Optional.empty();
        }
        Instant until = end.at().get();
        Instant from = start.flatMap(ApiTraceEvent::at)
                .orElseGet(() -> until.minusMillis(end.durationMillis().orElse(0)));
        String tool = end.tool().isEmpty() ? start.map(ApiTraceEvent::tool).orElse("") : end.tool();
        return Optional.of(new ApiToolCall(tool, from, Optional.of(until), end.success(), end.error()));
    }

    /**
     * One tool or capability call.
     *
     * @param end empty while no end is recorded
     * @param error code and message; {@code ""} if the call did not fail
     */
    public record ApiToolCall(String tool, Instant start, Optional<Instant> end, boolean success, String error) {}
}
