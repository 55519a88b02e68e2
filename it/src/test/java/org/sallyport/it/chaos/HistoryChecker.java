package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.TestJson;

/**
 * Compares the histories of executions with the promises of the service: what callers were told, the stored traces, the
 * calls that connectors received, and the effects. Collects the violations of each {@link HistoryRule}. Not
 * thread-safe.
 */
public final class HistoryChecker {
    /** Tools of the demo backend whose calls must not be repeated. */
    private static final Set<String> AT_MOST_ONCE_TOOLS = Set.of("demo.counter_increment", "demo.send_mail");

    private final Map<HistoryRule, List<String>> violations = new EnumMap<>(HistoryRule.class);

    /** Reads executions that must have ended, and returns all violations of the rules for single executions. */
    public static List<String> findViolations(RestClient api, Map<String, ExpectedEnd> accepted) {
        HistoryChecker checker = new HistoryChecker();
        accepted.forEach((id, expected) -> ExecutionHistory.read(api, id)
                .ifPresentOrElse(
                        history -> checker.checkExecution(history, expected),
                        () -> checker.report(HistoryRule.STORED, id)));
        return checker.violations();
    }

    /** Like {@link #findViolations(RestClient, Map)}, for executions that must all end in the same way. */
    public static List<String> findViolations(RestClient api, Collection<String> accepted, ExpectedEnd expected) {
        Map<String, ExpectedEnd> ends = new LinkedHashMap<>();
        accepted.forEach(id -> ends.put(id, expected));
        return findViolations(api, ends);
    }

    /** Records a violation. */
    void report(HistoryRule rule, String found) {
        violations.computeIfAbsent(rule, any -> new ArrayList<>()).add(found);
    }

    /** The violations of one rule. */
    public List<String> violations(HistoryRule rule) {
        return List.copyOf(violations.getOrDefault(rule, List.of()));
    }

    /** All violations, each with its rule. */
    public List<String> violations() {
        List<String> all = new ArrayList<>();
        violations.forEach((rule, found) -> found.forEach(each -> all.add(rule.violation() + ": " + each)));
        return all;
    }

    /** Checks that exactly the expected executions are stored. */
    void checkStored(Set<String> expected, Set<String> stored) {
        expected.stream().filter(id -> !stored.contains(id)).forEach(id -> report(HistoryRule.STORED, id));
        stored.stream().filter(id -> !expected.contains(id)).forEach(id -> report(HistoryRule.KNOWN, id));
    }

    /** Checks one execution by its final state and its trace. */
    public void checkExecution(ExecutionHistory history, ExpectedEnd expected) {
        JsonNode execution = history.execution();
        if (!RestClient.isFinished(execution)) {
            report(HistoryRule.ENDED, history.id() + " " + execution);
            return;
        }
        checkOneEnd(history);
        checkAttempts(history);
        checkCalls(history);
        checkTimeLimit(history);
        if (execution.path("state").asText().equals("CANCELLED") && !expected.cancelRequested()) {
            report(HistoryRule.CANCEL_REQUEST, history.id() + " " + execution);
        }
        List<String> faults = expected.faults().apply(execution);
        if (!faults.isEmpty()) {
            report(HistoryRule.RESULT, faults + " " + execution);
        }
        String output = execution.path("output").asText();
        if (expected.output().filter(text -> !text.equals(output)).isPresent()) {
            report(
                    HistoryRule.OUTPUT,
                    "'" + output + "' instead of '" + expected.output().get() + "' " + execution);
        }
    }

    private void checkOneEnd(ExecutionHistory history) {
        long ends = history.trace().stream().filter(RestClient::isFinished).count();
        JsonNode last = history.trace().isEmpty()
                ? TestJson.object()
                : history.trace().get(history.trace().size() - 1);
        if (ends != 1 || !last.path("state").equals(history.execution().path("state"))) {
            report(
                    HistoryRule.ONE_END,
                    history.id() + " is " + history.execution().path("state").asText() + " after "
                            + history.stateChanges());
        }
    }

    /** A node may be lost before it has stored the begin of its attempt. Then the event that follows has its number. */
    private void checkAttempts(ExecutionHistory history) {
        int attempts = history.execution().path("attempt").asInt();
        List<Integer> numbers = history.stateChanges().stream()
                .map(change -> change.path("attempt").asInt())
                .toList();
        List<Integer> begun = history.stateChanges().stream()
                .filter(change -> change.path("state").asText().equals("RUNNING"))
                .map(change -> change.path("attempt").asInt())
                .toList();
        boolean allRecorded = IntStream.rangeClosed(1, attempts).allMatch(numbers::contains);
        boolean inOrder = IntStream.range(1, numbers.size()).allMatch(i -> numbers.get(i - 1) <= numbers.get(i));
        boolean begunOnce = new HashSet<>(begun).size() == begun.size();
        if (!allRecorded || !inOrder || !begunOnce || numbers.stream().anyMatch(number -> number > attempts)) {
            report(
                    HistoryRule.ATTEMPTS,
                    history.id() + " has " + attempts + " attempts and the events " + history.stateChanges());
        }
    }

    private void checkCalls(ExecutionHistory history) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        history.trace().stream()
                .filter(event -> event.path("type").asText().endsWith("_start")
                        || event.path("type").asText().endsWith("_end"))
                .forEach(event -> counts.merge(
                        event.path("type").asText() + " of call "
                                + event.path("call").asLong(),
                        1,
                        Integer::sum));
        counts.forEach((event, count) -> {
            if (count > 1) {
                report(HistoryRule.CALLS, history.id() + ": " + event + ", " + count + " times");
            }
        });
    }

    /** Waits in the database can only extend the time of an execution. */
    private void checkTimeLimit(ExecutionHistory history) {
        JsonNode execution = history.execution();
        if (!execution.path("state").asText().equals("TIMED_OUT")) {
            return;
        }
        boolean reached = execution.has("startedAt")
                && Duration.between(instant(execution, "startedAt"), instant(execution, "finishedAt"))
                                .toMillis()
                        >= execution.at("/limits/wallMillis").asLong();
        if (!reached) {
            report(HistoryRule.TIME_LIMIT, history.id() + " " + execution);
        }
    }

    private static Instant instant(JsonNode execution, String member) {
        return Instant.parse(execution.path(member).asText());
    }

    /** Checks that a capability was run as often as the script of the execution runs it. */
    void checkNested(String parent, int expected, Collection<String> nested) {
        if (nested.size() != expected) {
            report(HistoryRule.KNOWN, nested + " in " + parent + ", which runs " + expected + " capabilities");
        }
    }

    /** @param calls every call that a connector received, with repetitions, each as call id and tool */
    void checkConnectorCalls(Collection<String> calls) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        calls.forEach(call -> counts.merge(call, 1, Integer::sum));
        counts.forEach((call, count) -> {
            if (count > 1 && AT_MOST_ONCE_TOOLS.contains(call.substring(call.indexOf(' ') + 1))) {
                report(HistoryRule.EFFECTS, "call " + call + ", " + count + " times");
            }
        });
    }

    /** Checks the final values of counters that each execution increments at most once. */
    void checkCounters(Map<String, Long> totals) {
        totals.forEach((name, total) -> {
            if (total != 1) {
                report(HistoryRule.EFFECTS, "effect " + name + ", " + total + " times");
            }
        });
    }

    /** Checks that an execution, apart from its callback, is the same as when it was first seen ended. */
    void checkUnchanged(JsonNode before, JsonNode after) {
        if (!withoutCallback(before).equals(withoutCallback(after))) {
            report(HistoryRule.UNCHANGED, "was " + before + " and is " + after);
        }
    }

    private static JsonNode withoutCallback(JsonNode execution) {
        ObjectNode copy = execution.deepCopy();
        copy.remove("callback");
        return copy;
    }

    /**
     * Checks that a batch counts all its items as ended.
     *
     * @param batch the batch as the service shows it
     */
    void checkBatch(JsonNode batch, int items) {
        if (!hasEnded(batch, items)) {
            report(HistoryRule.BATCHES, "not ended with " + items + " items: " + batch);
        }
    }

    /** Returns whether a batch counts all its items as ended. */
    static boolean hasEnded(JsonNode batch, int items) {
        int counted = 0;
        for (JsonNode count : batch.path("counts")) {
            counted += count.asInt();
        }
        return batch.path("finished").asBoolean() && counted == items;
    }

    /** Checks the times for which a schedule that makes up for all missed times has started executions, in order. */
    void checkScheduleTimes(List<Instant> times, Duration interval) {
        for (int i = 1; i < times.size(); i++) {
            if (!Duration.between(times.get(i - 1), times.get(i)).equals(interval)) {
                report(HistoryRule.SCHEDULE_TIMES, times.get(i) + " after " + times.get(i - 1));
            }
        }
    }

    /** @param bodies the different messages that the receiver got about an execution that has ended */
    void checkCallback(ExecutionHistory history, Collection<String> bodies) {
        boolean matches = bodies.size() == 1
                && bodies.stream()
                        .map(body -> TestJson.read(body).path("execution"))
                        .allMatch(shown -> shown.path("id").asText().equals(history.id())
                                && shown.path("state")
                                        .equals(history.execution().path("state"))
                                && shown.path("result")
                                        .equals(history.execution().path("result")));
        if (!matches) {
            report(HistoryRule.CALLBACKS, history.id() + ": " + bodies);
        }
    }
}
