package org.sallyport.it.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.TestJson;

/** The checker finds each kind of forged history, so a chaos run without violations is evidence. */
class HistoryCheckerTest {
    private static final String ID = "019ea7c0-1a2b-7000-92af-3bd76810d50e";
    private static final ExpectedEnd EXPECTED =
            ExpectedEnd.completed(result -> result.asInt() == 7).withOutput("printed\n");
    private static final Instant SECOND = Instant.parse("2026-11-28T06:00:00Z");

    /** An execution that was claimed twice and that made one call. */
    private static final JsonNode EXECUTION = TestJson.read("""
            {"id": "019ea7c0-1a2b-7000-92af-3bd76810d50e", "state": "COMPLETED", "attempt": 2, "result": 7,
             "output": "printed\\n", "limits": {"wallMillis": 60000},
             "startedAt": "2026-11-28T06:00:00Z", "finishedAt": "2026-11-28T06:00:30Z",
             "callback": {"state": "pending"}}
            """);

    private static final List<JsonNode> TRACE = List.of(
            stateChange("RUNNING", 1),
            call("tool_start"),
            stateChange("PENDING", 1),
            stateChange("RUNNING", 2),
            call("tool_end"),
            stateChange("COMPLETED", 2));

    /** @param rule the only rule that the history violates */
    record ForgedHistory(HistoryRule rule, String how, Consumer<HistoryChecker> forgery) {
        @Override
        public String toString() {
            return rule + ": " + how;
        }
    }

    private static JsonNode stateChange(String state, int attempt) {
        return TestJson.object().put("type", "state").put("state", state).put("attempt", attempt);
    }

    private static JsonNode call(String type) {
        return TestJson.object().put("type", type).put("call", 1);
    }

    private static JsonNode execution(Consumer<ObjectNode> change) {
        ObjectNode copy = EXECUTION.deepCopy();
        change.accept(copy);
        return copy;
    }

    private static List<JsonNode> trace(Consumer<List<JsonNode>> change) {
        List<JsonNode> copy = new ArrayList<>(TRACE);
        change.accept(copy);
        return copy;
    }

    private static Consumer<HistoryChecker> history(JsonNode execution, List<JsonNode> trace) {
        return checker -> checker.checkExecution(new ExecutionHistory(ID, execution, trace), EXPECTED);
    }

    private static Consumer<HistoryChecker> endedAs(String state) {
        ExpectedEnd any = new ExpectedEnd(execution -> List.of(), EXPECTED.output(), false);
        return checker -> checker.checkExecution(
                new ExecutionHistory(
                        ID,
                        execution(json -> json.put("state", state)),
                        trace(events -> events.set(5, stateChange(state, 2)))),
                any);
    }

    static Stream<ForgedHistory> forgedHistories() {
        return Stream.of(forgedExecutions(), forgedTraces(), forgedEffects(), forgedBatchesAndTimes())
                .flatMap(each -> each);
    }

    private static Stream<ForgedHistory> forgedExecutions() {
        return Stream.of(
                new ForgedHistory(
                        HistoryRule.STORED, "an id is missing", checker -> checker.checkStored(Set.of(ID), Set.of())),
                new ForgedHistory(
                        HistoryRule.KNOWN, "an id more", checker -> checker.checkStored(Set.of(), Set.of(ID))),
                new ForgedHistory(
                        HistoryRule.KNOWN,
                        "a call ran two nested executions",
                        checker -> checker.checkNested(ID, 1, List.of("child-1", "child-2"))),
                new ForgedHistory(
                        HistoryRule.ENDED,
                        "still running",
                        history(execution(json -> json.put("state", "RUNNING")), TRACE)),
                new ForgedHistory(
                        HistoryRule.RESULT, "another result", history(execution(json -> json.put("result", 8)), TRACE)),
                new ForgedHistory(
                        HistoryRule.OUTPUT,
                        "printed twice",
                        history(execution(json -> json.put("output", "printed\nprinted\n")), TRACE)),
                new ForgedHistory(HistoryRule.TIME_LIMIT, "after 30 of 60 s", endedAs("TIMED_OUT")),
                new ForgedHistory(HistoryRule.CANCEL_REQUEST, "without a request", endedAs("CANCELLED")),
                new ForgedHistory(
                        HistoryRule.UNCHANGED,
                        "a later end",
                        checker -> checker.checkUnchanged(
                                EXECUTION, execution(json -> json.put("finishedAt", "2026-11-28T06:00:31Z")))));
    }

    private static Stream<ForgedHistory> forgedTraces() {
        return Stream.of(
                new ForgedHistory(
                        HistoryRule.ONE_END,
                        "ended twice",
                        history(EXECUTION, trace(events -> events.add(stateChange("COMPLETED", 2))))),
                new ForgedHistory(HistoryRule.ONE_END, "no end", history(EXECUTION, trace(events -> events.remove(5)))),
                new ForgedHistory(
                        HistoryRule.ONE_END,
                        "another end",
                        history(EXECUTION, trace(events -> events.set(5, stateChange("FAILED", 2))))),
                new ForgedHistory(
                        HistoryRule.ONE_END,
                        "an event after the end",
                        history(EXECUTION, trace(events -> events.add(events.remove(4))))),
                new ForgedHistory(
                        HistoryRule.ATTEMPTS,
                        "the first attempt has no event",
                        history(EXECUTION, TRACE.subList(3, TRACE.size()))),
                new ForgedHistory(
                        HistoryRule.ATTEMPTS,
                        "begun twice",
                        history(EXECUTION, trace(events -> events.add(3, stateChange("RUNNING", 2))))),
                new ForgedHistory(
                        HistoryRule.ATTEMPTS,
                        "an event of an attempt that nothing claimed",
                        history(execution(json -> json.put("attempt", 1)), TRACE)),
                new ForgedHistory(
                        HistoryRule.CALLS,
                        "a call began twice",
                        history(EXECUTION, trace(events -> events.add(4, call("tool_start"))))),
                new ForgedHistory(
                        HistoryRule.CALLS,
                        "a call was answered twice",
                        history(EXECUTION, trace(events -> events.add(4, call("tool_end"))))));
    }

    private static Stream<ForgedHistory> forgedEffects() {
        return Stream.of(
                new ForgedHistory(
                        HistoryRule.EFFECTS,
                        "a call was sent twice",
                        checker -> checker.checkConnectorCalls(
                                List.of(ID + "/1 demo.counter_increment", ID + "/1 demo.counter_increment"))),
                new ForgedHistory(
                        HistoryRule.EFFECTS,
                        "a counter was incremented twice",
                        checker -> checker.checkCounters(Map.of("counter", 2L))));
    }

    private static Stream<ForgedHistory> forgedBatchesAndTimes() {
        return Stream.of(
                new ForgedHistory(
                        HistoryRule.BATCHES,
                        "not finished",
                        checker ->
                                checker.checkBatch(batch("{\"finished\": false, \"counts\": {\"COMPLETED\": 2}}"), 2)),
                new ForgedHistory(
                        HistoryRule.BATCHES,
                        "an item is missing",
                        checker ->
                                checker.checkBatch(batch("{\"finished\": true, \"counts\": {\"COMPLETED\": 1}}"), 2)),
                new ForgedHistory(
                        HistoryRule.SCHEDULE_TIMES,
                        "one time twice",
                        checker -> checker.checkScheduleTimes(List.of(SECOND, SECOND), Duration.ofSeconds(1))),
                new ForgedHistory(
                        HistoryRule.SCHEDULE_TIMES,
                        "one time is missing",
                        checker -> checker.checkScheduleTimes(
                                List.of(SECOND, SECOND.plusSeconds(2)), Duration.ofSeconds(1))),
                new ForgedHistory(HistoryRule.CALLBACKS, "none", callbacks(List.of())),
                new ForgedHistory(HistoryRule.CALLBACKS, "another result", callbacks(List.of(callback(8)))),
                new ForgedHistory(
                        HistoryRule.CALLBACKS, "two messages", callbacks(List.of(callback(7), callback(7) + " "))));
    }

    private static JsonNode batch(String json) {
        return TestJson.read(json);
    }

    private static Consumer<HistoryChecker> callbacks(List<String> bodies) {
        return checker -> checker.checkCallback(new ExecutionHistory(ID, EXECUTION, TRACE), bodies);
    }

    private static String callback(int result) {
        return "{\"execution\": {\"id\": \"" + ID + "\", \"state\": \"COMPLETED\", \"result\": " + result + "}}";
    }

    @ParameterizedTest
    @MethodSource("forgedHistories")
    void forgedHistoryViolatesItsRule(ForgedHistory forged) {
        HistoryChecker checker = new HistoryChecker();

        forged.forgery().accept(checker);

        assertThat(checker.violations(forged.rule())).hasSize(1);
        assertThat(checker.violations())
                .singleElement()
                .asString()
                .startsWith(forged.rule().violation());
    }

    @ParameterizedTest
    @EnumSource
    void eachRuleHasAForgedHistory(HistoryRule rule) {
        assertThat(forgedHistories().map(ForgedHistory::rule)).contains(rule);
    }

    @Test
    void correctHistoriesViolateNoRule() {
        HistoryChecker checker = new HistoryChecker();

        history(EXECUTION, TRACE).accept(checker);
        checker.checkStored(Set.of(ID), Set.of(ID));
        checker.checkNested(ID, 1, List.of("child"));
        checker.checkUnchanged(
                EXECUTION, execution(json -> json.putObject("callback").put("state", "delivered")));
        checker.checkConnectorCalls(List.of(ID + "/1 demo.counter_increment", ID + "/2 demo.add", ID + "/2 demo.add"));
        checker.checkCounters(Map.of("counter", 1L));
        checker.checkBatch(batch("{\"finished\": true, \"counts\": {\"COMPLETED\": 1, \"FAILED\": 1}}"), 2);
        checker.checkScheduleTimes(List.of(SECOND, SECOND.plusSeconds(1)), Duration.ofSeconds(1));
        callbacks(List.of(callback(7))).accept(checker);

        assertThat(checker.violations()).isEmpty();
    }

    /** The node was lost before it had stored anything of the first attempt. */
    @Test
    void attemptWithoutABeginMayBeLost() {
        HistoryChecker checker = new HistoryChecker();

        history(EXECUTION, TRACE.subList(2, TRACE.size())).accept(checker);

        assertThat(checker.violations()).isEmpty();
    }

    @Test
    void executionAtItsLimitMayTimeOutAndARequestedCancelMayHappen() {
        HistoryChecker checker = new HistoryChecker();
        ExpectedEnd any = new ExpectedEnd(execution -> List.of(), EXPECTED.output(), true);

        for (String state : List.of("TIMED_OUT", "CANCELLED")) {
            checker.checkExecution(
                    new ExecutionHistory(
                            ID,
                            execution(json -> json.put("state", state).put("finishedAt", "2026-11-28T06:01:00Z")),
                            trace(events -> events.set(5, stateChange(state, 2)))),
                    any);
        }

        assertThat(checker.violations()).isEmpty();
    }
}
