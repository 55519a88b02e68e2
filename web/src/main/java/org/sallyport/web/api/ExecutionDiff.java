package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.Execution;
import org.sallyport.journal.TraceEvent;
import org.sallyport.runner.HostCallTrace;
import org.sallyport.tool.Json;

/**
 * Compares two executions with a result of bounded size: for long texts the text around the first difference, for many
 * calls the first differing ones.
 */
final class ExecutionDiff {
    private static final int MAX_CALLS = 100;
    private static final int CONTEXT_CHARS = 40;
    private static final int MAX_EXCERPT_CHARS = 400;

    private ExecutionDiff() {}

    /** One of the executions with all that is stored of it. */
    record ComparedExecution(Execution execution, List<TraceEvent> entries, String out, String err) {}

    /** A call as text. */
    private record ComparedCall(
            String tool, String args, @Nullable String answer) {
        ComparedCall withAnswer(TraceEvent.ToolEnded ended) {
            String text = ended.error()
                    .map(error -> error.code().code() + ": " + error.message())
                    .orElseGet(() -> HostCallTrace.withoutContent(
                                    ended.tool(), ended.result().orElse(Json.NULL))
                            .text());
            return new ComparedCall(tool, args, text);
        }
    }

    static ObjectNode compare(ComparedExecution one, ComparedExecution other) {
        ObjectNode json = ExecutionMapper.object();
        json.put("id", one.execution().id().toString());
        json.put("with", other.execution().id().toString());
        ObjectNode differences = ExecutionMapper.object();
        addDifference(
                differences,
                "state",
                one.execution().state().name(),
                other.execution().state().name());
        addDifference(differences, "result", result(one.execution()), result(other.execution()));
        addDifference(differences, "error", error(one.execution()), error(other.execution()));
        addDifference(differences, "output", one.out(), other.out());
        addDifference(differences, "errorOutput", one.err(), other.err());
        Map<Long, ComparedCall> ours = calls(one.entries());
        Map<Long, ComparedCall> theirs = calls(other.entries());
        Set<Long> ordinals = new TreeSet<>(ours.keySet());
        ordinals.addAll(theirs.keySet());
        ArrayNode calls = ExecutionMapper.object().arrayNode();
        long differing = 0;
        for (long ordinal : ordinals) {
            @Nullable ObjectNode call = call(ordinal, ours.get(ordinal), theirs.get(ordinal));
            if (call != null && ++differing <= MAX_CALLS) {
                calls.add(call);
            }
        }
        json.put("same", differences.isEmpty() && differing == 0);
        json.setAll(differences);
        json.set("calls", calls);
        json.put("callsCompared", ordinals.size());
        json.put("callsDiffering", differing);
        return json;
    }

    private static @Nullable String result(Execution execution) {
        return execution.result().map(Json::text).orElse(null);
    }

    private static @Nullable String error(Execution execution) {
        return execution
                .error()
                .map(error -> error.code() + ": " + error.message())
                .orElse(null);
    }

    private static Map<Long, ComparedCall> calls(List<TraceEvent> entries) {
        Map<Long, ComparedCall> calls = new TreeMap<>();
        for (TraceEvent event : entries) {
            if (event instanceof TraceEvent.ToolStarted started) {
                calls.put(
                        started.call(),
                        new ComparedCall(
                                started.tool().toString(),
                                HostCallTrace.withoutContent(started.tool(), started.arguments())
                                        .text(),
                                null));
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                calls.computeIfPresent(ended.call(), (ordinal, call) -> call.withAnswer(ended));
            }
        }
        return calls;
    }

    /** The difference of a call; null if both calls are the same. */
    private static @Nullable ObjectNode call(long ordinal, @Nullable ComparedCall one, @Nullable ComparedCall other) {
        if (Objects.equals(one, other)) {
            return null;
        }
        ObjectNode json = ExecutionMapper.object().put("call", ordinal);
        if (one == null || other == null) {
            json.put("onlyIn", one == null ? "with" : "this");
        }
        addDifference(json, "tool", one == null ? null : one.tool(), other == null ? null : other.tool());
        addDifference(json, "args", one == null ? null : one.args(), other == null ? null : other.args());
        addDifference(json, "answer", one == null ? null : one.answer(), other == null ? null : other.answer());
        return json;
    }

    private static void addDifference(ObjectNode json, String name, @Nullable String one, @Nullable String other) {
        if (Objects.equals(one, other)) {
            return;
        }
        int at = one == null || other == null ? 0 : firstDifference(one, other);
        ObjectNode difference = json.putObject(name).put("at", at);
        addExcerpt(difference, "this", one, at);
        addExcerpt(difference, "with", other, at);
    }

    private static int firstDifference(String one, String other) {
        int at = 0;
        while (at < Math.min(one.length(), other.length()) && one.charAt(at) == other.charAt(at)) {
            at++;
        }
        return at > 0 && Character.isHighSurrogate(one.charAt(at - 1)) ? at - 1 : at;
    }

    private static void addExcerpt(ObjectNode json, String name, @Nullable String text, int at) {
        if (text == null) {
            return;
        }
        int start = boundary(text, Math.max(0, at - CONTEXT_CHARS));
        int end = boundary(text, Math.min(text.length(), at + MAX_EXCERPT_CHARS));
        json.put(name, (start > 0 ? "…" : "") + text.substring(start, end) + (end < text.length() ? "…" : ""));
    }

    /** Moves a position to a character boundary, never within a surrogate pair. */
    private static int boundary(String text, int at) {
        return at > 0 && at < text.length() && Character.isLowSurrogate(text.charAt(at)) ? at - 1 : at;
    }
}
