package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.NestedRunStore.Answer;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** What every store of nested executions must do. */
public abstract class NestedRunContract {
    private static final String TENANT = "tenant-a";
    private static final int MOST = 3;

    protected abstract NestedRunStore nested();

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private ExecutionId parent() {
        return accepted(anExecution());
    }

    private ExecutionId accepted(AnExecution execution) {
        NewExecution made = execution.build();
        assertThat(store().accept(made)).isInstanceOf(Acceptance.Stored.class);
        return made.id();
    }

    private Answer nest(ExecutionId parent, long call, AnExecution child) {
        return nested().nest(child.build(), nested().below(parent, call), MOST);
    }

    private ExecutionId nested(ExecutionId parent, long call, String capability) {
        Answer answer = nest(
                parent,
                call,
                anExecution().capability(new CapabilityUse(new CapabilityRef(capability, "1.0.0"), Optional.empty())));
        return ((Answer.Stored) answer).id();
    }

    private void end(ExecutionId id) {
        Claim claim = store().claim(id, "n").orElseThrow();
        assertThat(journal().finish(claim.fence(), new Outcome.Completed(Json.NULL), Entries.NONE))
                .isPresent();
    }

    @Test
    void aChildIsAnExecutionOfItsOwnThatKnowsItsParent() {
        ExecutionId parent = parent();
        ExecutionId child = nested(parent, 4, "a.b");

        assertThat(nested().child(new CallId(parent.toString(), 4))).contains(child);
        assertThat(nested().child(new CallId(parent.toString(), 5))).isEmpty();
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
    void whoCallsTwiceNestsOnce() throws Exception {
        ExecutionId parent = parent();
        List<Answer> answers = Together.run(4, racer -> nest(parent, 1, anExecution()));
        assertThat(answers).filteredOn(Answer.Stored.class::isInstance).hasSize(1);
        assertThat(answers.stream()
                        .map(answer ->
                                answer instanceof Answer.Stored stored ? stored.id() : ((Answer.IsThere) answer).id())
                        .distinct())
                .hasSize(1);
        assertThat(store().list(TENANT, ExecutionFilter.nestedIn(parent), Optional.empty(), 10)
                        .items())
                .hasSize(1);
    }

    @Test
    void whatAnswersTheCallsOfOneExecutionIsKnownByTheirNumbers() {
        ExecutionId parent = parent();
        ExecutionId second = nested(parent, 2, "a.b");
        ExecutionId fourth = nested(parent, 4, "c");
        nested(parent(), 4, "another.parents");
        nested(second, 2, "a.grandchild");

        var two = new NestedRunStore.Nested(second, Optional.of(new CapabilityRef("a.b", "1.0.0")));
        var four = new NestedRunStore.Nested(fourth, Optional.of(new CapabilityRef("c", "1.0.0")));
        assertThat(nested().children(parent, 1, 10)).isEqualTo(Map.of(2L, two, 4L, four));
        assertThat(nested().children(parent, 2, 3)).isEqualTo(Map.of(2L, two));
        assertThat(nested().children(parent, 4, 4)).isEqualTo(Map.of(4L, four));
        assertThat(nested().children(parent, 5, Long.MAX_VALUE)).isEmpty();
        assertThat(nested().children(fourth, 1, 10)).isEmpty();
    }

    @Test
    void theWayDownIsKnown() {
        ExecutionId root = accepted(
                anExecution().capability(new CapabilityUse(new CapabilityRef("top.one", "1.0.0"), Optional.empty())));
        assertThat(nested().below(root, 1))
                .isEqualTo(new Nesting(new CallId(root.toString(), 1), root, List.of("top.one"), 1));
        ExecutionId child = nested(root, 1, "a.b");
        ExecutionId grandchild = nested(child, 2, "c");
        assertThat(nested().below(grandchild, 7))
                .isEqualTo(new Nesting(new CallId(grandchild.toString(), 7), root, List.of("top.one", "a.b", "c"), 3));
        ExecutionId plain = parent();
        assertThat(nested().below(plain, 1).path()).isEmpty();
    }

    private Claim calls(ExecutionId id, ToolName... tools) {
        Claim claim = store().claim(id, "n").orElseThrow();
        List<TraceEvent> events = new ArrayList<>();
        for (ToolName tool : tools) {
            long seq = claim.lastSeq() + events.size() + 1;
            events.add(
                    tool.backend().equals("mirror")
                            ? new TraceEvent.Judged(seq, Instant.EPOCH, seq, tool, "any", TraceEvent.Judged.FALLBACK)
                            : new TraceEvent.ToolStarted(seq, Instant.EPOCH, seq, tool, Json.NULL));
        }
        assertThat(journal().append(claim.fence(), new Entries(events, List.of(), false)))
                .isTrue();
        return claim;
    }

    @Test
    void whatTheOthersOfTheTreeCalledIsKnownToEachOfThem() {
        ToolName above = new ToolName("crm", "find");
        ToolName stoodIn = new ToolName("mirror", "find \u0000");
        ToolName below = new ToolName("web", "\uD83D\uDE00.".repeat(200));
        ToolName beside = new ToolName("capabilities", "a.b");
        ExecutionId root = parent();
        ExecutionId child = nested(root, 1, "a.b");
        ExecutionId grandchild = nested(child, 1, "c");
        ExecutionId sibling = nested(root, 2, "d");
        ExecutionId stranger = parent();
        Claim first = calls(root, above, stoodIn);
        Claim second = calls(child, beside);
        Claim third = calls(grandchild, below);
        calls(stranger, new ToolName("no", "body"));

        assertThat(first.parent()).isEmpty();
        assertThat(first.capability()).isEmpty();
        assertThat(second.capability()).contains(new CapabilityRef("a.b", "1.0.0"));
        assertThat(second.parent()).contains(root);
        assertThat(third.parent()).contains(child);
        assertThat(nested().calledAround(root)).containsExactlyInAnyOrder(beside, below);
        assertThat(nested().calledAround(child)).containsExactlyInAnyOrder(above, stoodIn, below);
        assertThat(nested().calledAround(grandchild)).containsExactlyInAnyOrder(above, stoodIn, beside);
        assertThat(nested().calledAround(sibling)).containsExactlyInAnyOrder(above, stoodIn, beside, below);
        assertThat(nested().calledAround(stranger)).isEmpty();
        assertThat(journal().finish(third.fence(), new Outcome.Completed(Json.NULL), Entries.NONE))
                .isPresent();
        assertThat(nested().calledAround(root)).containsExactlyInAnyOrder(beside, below);
    }

    @Test
    void whatWasNestedInAnExecutionCountsForTheOneThatRepeatsIt() {
        ToolName below = new ToolName("web", "get");
        ExecutionId root = parent();
        calls(nested(root, 1, "a.b"), below);
        ExecutionId again = accepted(anExecution().rerun(new Rerun(root, Rerun.Mode.FROM, 1, false)));
        ExecutionId oncemore = accepted(anExecution().rerun(new Rerun(again, Rerun.Mode.FROM, 1, false)));
        assertThat(nested().calledAround(again)).containsExactly(below);
        assertThat(nested().calledAround(oncemore)).containsExactly(below);
    }

    @Test
    void belowOneRootAreSoManyAtMost() {
        ExecutionId root = parent();
        ExecutionId child = nested(root, 1, "a");
        nested(child, 1, "b");
        nested(child, 2, "c");
        assertThat(nest(root, 2, anExecution())).isInstanceOf(Answer.TooMany.class);
        assertThat(nest(root, 1, anExecution())).isEqualTo(new Answer.IsThere(child));
        assertThat(nest(parent(), 1, anExecution())).isInstanceOf(Answer.Stored.class);
    }

    @Test
    void nothingIsNestedInWhatHasEndedOrIsAnothers() {
        ExecutionId ended = parent();
        end(ended);
        assertThat(nest(ended, 1, anExecution())).isInstanceOf(Answer.NoParent.class);
        assertThat(nest(parent(), 1, anExecution().tenant("u"))).isInstanceOf(Answer.NoParent.class);
        assertThat(nested().child(new CallId(ended.toString(), 1))).isEmpty();
    }

    @Test
    void whatLivesOnBelowWhatHasEndedIsFoundUntilItEndsToo() {
        ExecutionId parent = parent();
        ExecutionId child = nested(parent, 1, "a");
        ExecutionId other = nested(parent, 2, "b");
        end(other);
        assertThat(nested().abandoned(10)).isEmpty();

        end(parent);
        for (int look = 0; look < 2; look++) {
            assertThat(nested().abandoned(10)).containsExactly(new NestedRunStore.Abandoned(TENANT, child));
        }
        assertThat(store().cancel(TENANT, child)).isInstanceOf(Cancellation.Done.class);
        assertThat(nested().abandoned(10)).isEmpty();
        assertThat(nested().child(new CallId(parent.toString(), 1))).contains(child);
    }
}
