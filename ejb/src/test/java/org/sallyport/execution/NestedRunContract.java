package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.NestedRunStore.Answer;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;

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
