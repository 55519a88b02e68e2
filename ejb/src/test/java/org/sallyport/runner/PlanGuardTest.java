package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution;
import org.sallyport.journal.DryRunPlan;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

class PlanGuardTest {
    private static final ToolName MAIL = new ToolName("b", "mail");

    private final InMemoryExecutionStore store = new InMemoryExecutionStore();
    private final NewExecution dryRun = anExecution().id(id(1)).build();
    private final List<String> violations = new ArrayList<>();

    private static ExecutionId id(long number) {
        return new ExecutionId(new UUID(0, number));
    }

    /** Returns the guard of a run whose plan lists calls with these arguments. */
    private PlanGuard guard(String... planned) {
        store.insert(dryRun);
        List<TraceEvent> trace = store.row(dryRun.id()).trace;
        for (int i = 0; i < planned.length; i++) {
            trace.add(new TraceEvent.ToolStarted(trace.size() + 1, Instant.EPOCH, i, MAIL, new Json(planned[i])));
            trace.add(
                    new TraceEvent.PolicyDecided(trace.size() + 1, Instant.EPOCH, i, MAIL, "rule", DryRunPlan.PLANNED));
            trace.add(new TraceEvent.ToolEnded(
                    trace.size() + 1, Instant.EPOCH, i, MAIL, 0, 0, Optional.of(Json.NULL), Optional.empty()));
        }
        NewExecution run = anExecution()
                .id(id(2))
                .effects(new EffectMode.ApprovedPlan(dryRun.id(), "anna"))
                .build();
        store.insert(run);
        ClaimedExecution claim = store.claim(run.id(), "n.1").orElseThrow();
        return new PlanGuard(claim, store, violations::add);
    }

    private static boolean call(PlanGuard guard, long ordinal, String arguments) {
        guard.recordCall(ordinal, MAIL, new Json(arguments));
        return guard.allows(new PendingCall(ordinal, MAIL, new Json(arguments), false));
    }

    @Test
    void callIsAllowedAsOftenAsThePlanListsIt() {
        PlanGuard guard = guard("{\"to\":1}", "{\"to\":2}", "{\"to\":1}");

        assertThat(call(guard, 1, "{\"to\":1}")).isTrue();
        assertThat(call(guard, 2, "{\"to\":1}")).isTrue();
        assertThat(call(guard, 3, "{\"to\":2}")).isTrue();
        assertThat(violations).isEmpty();
        assertThat(call(guard, 4, "{\"to\":1}")).isFalse();
        assertThat(violations).singleElement().asString().contains("call 4", "only 2 times");
    }

    /** An encoder would turn both characters into the same replacement. */
    @Test
    void callsThatDifferInALoneSurrogateAreDifferent() {
        PlanGuard guard = guard("\"\uD800\"");

        assertThat(call(guard, 1, "\"\uD801\"")).isFalse();
        assertThat(call(guard, 2, "\"?\"")).isFalse();
        assertThat(call(guard, 3, "\"\uD800\"")).isTrue();
    }

    private static WeakReference<Json> recordLargeCall(PlanGuard guard) {
        Json arguments = new Json("\"" + "x".repeat(100_000) + "\"");
        guard.recordCall(1, MAIL, arguments);
        return new WeakReference<>(arguments);
    }

    @Test
    void argumentsOfCallsAreNotKept() {
        PlanGuard guard = guard("1");
        WeakReference<Json> arguments = recordLargeCall(guard);

        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (arguments.get() != null) {
            assertThat(System.nanoTime()).as("waited too long for a collection").isLessThan(end);
            System.gc();
        }
        assertThat(call(guard, 2, "1")).as("the guard is still in use").isTrue();
    }
}
