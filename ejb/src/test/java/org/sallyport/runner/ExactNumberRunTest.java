package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Policy;
import org.sallyport.tool.Json;

/** Numbers that JavaScript would change reach the script, the trace and a resumed run as the same texts. */
class ExactNumberRunTest {
    private static final String CODE = """
            const { echo } = await b.again({ id: 725653563933458432n, list: [0.1, 9007199254740993n] });
            const later = await b.again({ id: BigInt(echo.id), other: BigInt(echo.list[1]) + 2n });
            return [echo, later.echo];""";

    private static final String FIRST = "{\"id\":\"725653563933458432\",\"list\":[0.1,\"9007199254740993\"]}";
    private static final String SECOND = "{\"id\":\"725653563933458432\",\"other\":\"9007199254740995\"}";

    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> Policy.defaultPolicy());

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void numbersAreTheSameInResultTraceAndReplay(int writesBeforeDeath) throws Exception {
        ExecutionId id = runs.submit(CODE, Optional.empty());
        runs.runThroughCrashes(id, List.of(writesBeforeDeath));
        assertThat(runs.store.row(id).outcome)
                .isEqualTo(new ExecutionOutcome.ExecutionCompleted(new Json("[" + FIRST + "," + SECOND + "]")));
        assertThat(events(id, TraceEvent.ToolStarted.class)
                        .map(started -> started.arguments().text()))
                .containsExactly(
                        "{\"id\":725653563933458432,\"list\":[0.1,9007199254740993]}",
                        "{\"id\":725653563933458432,\"other\":9007199254740995}");
        assertThat(events(id, TraceEvent.ToolEnded.class)
                        .map(ended -> ended.result().orElse(Json.NULL).text()))
                .containsExactly("{\"echo\":" + FIRST + "}", "{\"echo\":" + SECOND + "}");
    }

    private <T extends TraceEvent> Stream<T> events(ExecutionId id, Class<T> type) {
        return runs.store.row(id).trace.stream().filter(type::isInstance).map(type::cast);
    }
}
