package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.NestedExecutionStore.NestResult;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** Contract of {@link NestedExecutionStore}, for every implementation. */
public abstract class NestedExecutionStoreContract {
    private static final String TENANT = "tenant-a";
    private static final int MAX_NESTED = 3;

    protected abstract NestedExecutionStore nested();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private ExecutionId parent() {
        return accepted(anExecution());
    }

    private ExecutionId accepted(NewExecutionBuilder execution) {
        NewExecution newExecution = execution.build();
        assertThat(store().insert(newExecution)).isInstanceOf(InsertResult.ExecutionInserted.class);
        return newExecution.id();
    }

    private NestResult nest(ExecutionId parent, long call, NewExecutionBuilder child) {
        return nested().insertNested(child.build(), nested().parentFor(parent, call), MAX_NESTED);
    }

    private ExecutionId nested(ExecutionId parent, long call, String capability) {
        NestResult answer = nest(
                parent,
                call,
                anExecution()
                        .capability(new CapabilityBinding(new CapabilityRef(capability, "1.0.0"), Optional.empty())));
        return ((NestResult.NestedExecutionStored) answer).id();
    }

    private void end(ExecutionId id) {
        ClaimedExecution claim = store().claim(id, "n").orElseThrow();
        assertThat(journal()
                        .finish(claim.fence(), new ExecutionOutcome.ExecutionCompleted(Json.NULL), JournalBatch.NONE))
                .isPresent();
    }

    @Test
    void childIsAnExecutionThatNamesItsParent() {
        ExecutionId parent = parent();
        ExecutionId child = nested(parent, 4, "a.b");

        assertThat(nested().findChild(new CallId(parent.toString(), 4))).contains(child);
        assertThat(nested().findChild(new CallId(parent.toString(), 5))).isEmpty();
        ExecutionSummary summary = store().find(TENANT, child).orElseThrow().summary();
        assertThat(summary.parent()).contains(parent);
        assertThat(summary.state()).isEqualTo(ExecutionState.PENDING);
        assertThat(store().find(TENANT, parent).orElseThrow().summary().parent())
                .isEmpty();
        assertThat(store().list(TENANT, ExecutionFilter.nestedIn(parent), Optional.empty(), 10)
                        .items())
                .containsExactly(summary);
        assertThat(store().list("u", ExecutionFilter.nestedIn(parent), Optional.empty(), 10)
                        .items())
                .isEmpty();
        assertThat(store().claim(child, "n")).isPresent();
    }

    @Test
    void nestedExecutionsAreErasedWithTheirRootAndNotWhileItRuns() {
        ExecutionId root = parent();
        ExecutionId child = nested(root, 1, "a.b");
        ExecutionId grandchild = nested(child, 1, "a.c");
        end(grandchild);
        end(child);
        assertThat(store().erase(TENANT, child))
                .isInstanceOfSatisfying(
                        EraseResult.EraseBlocked.class,
                        blocked -> assertThat(blocked.execution()).isEqualTo(root));
        assertThat(store().find(TENANT, grandchild)).isPresent();
        store().cancel(TENANT, root);
        journal().finish(new FencingToken(root, 1), new ExecutionOutcome.ExecutionCancelled(), JournalBatch.NONE);

        assertThat(store().erase(TENANT, root)).isEqualTo(new EraseResult.ExecutionErased());

        for (ExecutionId each : List.of(root, child, grandchild)) {
            assertThat(store().find(TENANT, each)).isEmpty();
        }
    }

    @Test
    void concurrentNestingForOneCallCreatesOneChild() throws Exception {
        ExecutionId parent = parent();
        List<NestResult> answers = ConcurrencyTestUtil.runConcurrently(4, racer -> nest(parent, 1, anExecution()));
        assertThat(answers)
                .filteredOn(NestResult.NestedExecutionStored.class::isInstance)
                .hasSize(1);
        assertThat(answers.stream()
                        .map(answer -> answer instanceof NestResult.NestedExecutionStored stored
                                ? stored.id()
                                : ((NestResult.NestedExecutionExists) answer).id())
                        .distinct())
                .hasSize(1);
        assertThat(store().list(TENANT, ExecutionFilter.nestedIn(parent), Optional.empty(), 10)
                        .items())
                .hasSize(1);
    }

    @Test
    void childrenAreFoundByTheirCallNumbers() {
        ExecutionId parent = parent();
        ExecutionId second = nested(parent, 2, "a.b");
        ExecutionId fourth = nested(parent, 4, "c");
        nested(parent(), 4, "another.parents");
        nested(second, 2, "a.grandchild");

        var two = new NestedExecutionStore.NestedExecution(second, Optional.of(new CapabilityRef("a.b", "1.0.0")));
        var four = new NestedExecutionStore.NestedExecution(fourth, Optional.of(new CapabilityRef("c", "1.0.0")));
        assertThat(nested().findChildren(parent, 1, 10)).isEqualTo(Map.of(2L, two, 4L, four));
        assertThat(nested().findChildren(parent, 2, 3)).isEqualTo(Map.of(2L, two));
        assertThat(nested().findChildren(parent, 4, 4)).isEqualTo(Map.of(4L, four));
        assertThat(nested().findChildren(parent, 5, Long.MAX_VALUE)).isEmpty();
        assertThat(nested().findChildren(fourth, 1, 10)).isEmpty();
    }

    @Test
    void capabilityPathFromTheRootIsKnown() {
        ExecutionId root = accepted(anExecution()
                .capability(new CapabilityBinding(new CapabilityRef("top.one", "1.0.0"), Optional.empty())));
        assertThat(nested().parentFor(root, 1))
                .isEqualTo(new ParentExecution(new CallId(root.toString(), 1), root, List.of("top.one"), 1));
        ExecutionId child = nested(root, 1, "a.b");
        ExecutionId grandchild = nested(child, 2, "c");
        assertThat(nested().parentFor(grandchild, 7))
                .isEqualTo(new ParentExecution(
                        new CallId(grandchild.toString(), 7), root, List.of("top.one", "a.b", "c"), 3));
        ExecutionId plain = parent();
        assertThat(nested().parentFor(plain, 1).capabilityPath()).isEmpty();
    }

    private ClaimedExecution calls(ExecutionId id, ToolName... tools) {
        ClaimedExecution claim = store().claim(id, "n").orElseThrow();
        List<TraceEvent> events = new ArrayList<>();
        for (ToolName tool : tools) {
            long seq = claim.lastSeq() + events.size() + 1;
            events.add(
                    tool.backend().equals("mirror")
                            ? new TraceEvent.PolicyDecided(
                                    seq, Instant.EPOCH, seq, tool, "any", TraceEvent.PolicyDecided.FALLBACK)
                            : new TraceEvent.ToolStarted(seq, Instant.EPOCH, seq, tool, Json.NULL));
        }
        assertThat(journal().append(claim.fence(), new JournalBatch(events, List.of(), false)))
                .isTrue();
        return claim;
    }

    @Test
    void toolsCalledInTheTreeAreVisibleToEachExecution() {
        ToolName above = new ToolName("crm", "find");
        ToolName stoodIn = new ToolName("mirror", "find \u0000");
        ToolName below = new ToolName("web", "\uD83D\uDE00.".repeat(200));
        ToolName beside = new ToolName("capabilities", "a.b");
        ExecutionId root = parent();
        ExecutionId child = nested(root, 1, "a.b");
        ExecutionId grandchild = nested(child, 1, "c");
        ExecutionId sibling = nested(root, 2, "d");
        ExecutionId stranger = parent();
        ClaimedExecution first = calls(root, above, stoodIn);
        ClaimedExecution second = calls(child, beside);
        ClaimedExecution third = calls(grandchild, below);
        calls(stranger, new ToolName("no", "body"));

        assertThat(first.parent()).isEmpty();
        assertThat(first.capability()).isEmpty();
        assertThat(second.capability()).contains(new CapabilityRef("a.b", "1.0.0"));
        assertThat(second.parent()).contains(root);
        assertThat(third.parent()).contains(child);
        assertThat(nested().toolsCalledInTree(root)).containsExactlyInAnyOrder(beside, below);
        assertThat(nested().toolsCalledInTree(child)).containsExactlyInAnyOrder(above, stoodIn, below);
        assertThat(nested().toolsCalledInTree(grandchild)).containsExactlyInAnyOrder(above, stoodIn, beside);
        assertThat(nested().toolsCalledInTree(sibling)).containsExactlyInAnyOrder(above, stoodIn, beside, below);
        assertThat(nested().toolsCalledInTree(stranger)).isEmpty();
        assertThat(journal()
                        .finish(third.fence(), new ExecutionOutcome.ExecutionCompleted(Json.NULL), JournalBatch.NONE))
                .isPresent();
        assertThat(nested().toolsCalledInTree(root)).containsExactlyInAnyOrder(beside, below);
    }

    @Test
    void toolsCalledByChildrenOfARecordingCountForItsReruns() {
        ToolName below = new ToolName("web", "get");
        ExecutionId root = parent();
        calls(nested(root, 1, "a.b"), below);
        ExecutionId rerun = accepted(anExecution().rerun(new RerunOrigin(root, RerunOrigin.RerunMode.FROM, 1, false)));
        ExecutionId oncemore =
                accepted(anExecution().rerun(new RerunOrigin(rerun, RerunOrigin.RerunMode.FROM, 1, false)));
        assertThat(nested().toolsCalledInTree(rerun)).containsExactly(below);
        assertThat(nested().toolsCalledInTree(oncemore)).containsExactly(below);
    }

    @Test
    void executionsPerRootAreLimited() {
        ExecutionId root = parent();
        ExecutionId child = nested(root, 1, "a");
        nested(child, 1, "b");
        nested(child, 2, "c");
        assertThat(nest(root, 2, anExecution())).isInstanceOf(NestResult.TooManyNestedExecutions.class);
        assertThat(nest(root, 1, anExecution())).isEqualTo(new NestResult.NestedExecutionExists(child));
        assertThat(nest(parent(), 1, anExecution())).isInstanceOf(NestResult.NestedExecutionStored.class);
    }

    @Test
    void nestingInAnEndedOrForeignParentIsRefused() {
        ExecutionId ended = parent();
        end(ended);
        assertThat(nest(ended, 1, anExecution())).isInstanceOf(NestResult.ParentEnded.class);
        assertThat(nest(parent(), 1, anExecution().tenant("u"))).isInstanceOf(NestResult.ParentEnded.class);
        assertThat(nested().findChild(new CallId(ended.toString(), 1))).isEmpty();
    }

    @Test
    void abandonedChildIsFoundUntilItEnds() {
        ExecutionId parent = parent();
        ExecutionId child = nested(parent, 1, "a");
        ExecutionId other = nested(parent, 2, "b");
        end(other);
        assertThat(nested().findAbandoned(10)).isEmpty();

        end(parent);
        for (int i = 0; i < 2; i++) {
            assertThat(nested().findAbandoned(10))
                    .containsExactly(new NestedExecutionStore.AbandonedExecution(TENANT, child));
        }
        assertThat(store().cancel(TENANT, child)).isInstanceOf(CancelResult.CancelledImmediately.class);
        assertThat(nested().findAbandoned(10)).isEmpty();
        assertThat(nested().findChild(new CallId(parent.toString(), 1))).contains(child);
    }
}
