package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** Contract of the search for executions: the executions that a store must find, and when it may stop searching. */
public abstract class ExecutionSearchContract {
    private static final String TENANT = "tenant-a";
    private static final Instant AT = Instant.parse("2026-10-25T01:30:00.123456Z");
    private static final ToolName ECHO = new ToolName("demo", "echo");
    private static final ToolName ADD = new ToolName("demo", "add");

    protected abstract ExecutionStore store();

    protected abstract Journal journal();

    private ExecutionId accepted(NewExecutionBuilder execution) {
        NewExecution submitted = execution.build();
        store().insert(submitted);
        return submitted.id();
    }

    private FencingToken claimed(ExecutionId id) {
        return store().claim(id, "node.1").orElseThrow().fence();
    }

    private List<ExecutionId> all(ExecutionFilter filter) {
        return all(filter, 2);
    }

    /** All matching executions, read page by page. Asserts that no page exceeds {@code size}. */
    private List<ExecutionId> all(ExecutionFilter filter, int size) {
        List<ExecutionId> found = new ArrayList<>();
        Optional<ExecutionId> before = Optional.empty();
        do {
            ExecutionPage page = store().list(TENANT, filter, before, size);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(size);
            page.items().forEach(item -> found.add(item.id()));
            before = page.next();
        } while (before.isPresent());
        return found;
    }

    private static ExecutionFilter labels(String... labels) {
        return new ExecutionFilterBuilder().labels(labels).build();
    }

    private static ExecutionFilter tools(String... tools) {
        return new ExecutionFilterBuilder().tools(tools).build();
    }

    private static ExecutionFilter text(String text) {
        return new ExecutionFilterBuilder().text(text).build();
    }

    @Test
    void labelFilterMatchesExactPairsAndAllMustMatch() {
        ExecutionId one = accepted(anExecution().labels(Map.of("team", "red", "env", "test")));
        ExecutionId two = accepted(anExecution().labels(Map.of("team", "red")));
        accepted(anExecution().labels(Map.of("team", "blue")));
        accepted(anExecution());
        accepted(anExecution().tenant("tenant-b").labels(Map.of("team", "red")));

        assertThat(all(labels("team:red"))).containsExactly(two, one);
        assertThat(all(labels("team:red", "env:test"))).containsExactly(one);
        assertThat(all(labels("team:Red"))).isEmpty();
        assertThat(all(labels("team:"))).isEmpty();
    }

    @Test
    void submitterFilterMatchesTheWholeNameWithAndWithoutOtherFilters() {
        String wild = "https://issuer\u0000#100%_'";
        ExecutionId one = accepted(anExecution().submitter(wild).labels(Map.of("team", "red")));
        ExecutionId two = accepted(anExecution().submitter(wild));
        ExecutionId three = accepted(anExecution().submitter(wild));
        ExecutionId four = accepted(anExecution().submitter("other").labels(Map.of("team", "red")));
        accepted(anExecution().tenant("tenant-b").submitter(wild));
        claimed(two);

        assertThat(all(new ExecutionFilterBuilder().submitter(wild).build())).containsExactly(three, two, one);
        assertThat(all(new ExecutionFilterBuilder().submitter("othe").build())).isEmpty();
        assertThat(all(new ExecutionFilterBuilder()
                        .submitter(wild)
                        .states(ExecutionState.PENDING, ExecutionState.FAILED)
                        .build()))
                .containsExactly(three, one);
        assertThat(all(new ExecutionFilterBuilder()
                        .submitter("other")
                        .labels("team:red")
                        .build()))
                .containsExactly(four);
        assertThat(store().list(
                                TENANT,
                                new ExecutionFilterBuilder().submitter("other").build(),
                                Optional.empty(),
                                10)
                        .items())
                .extracting(ExecutionSummary::submitter)
                .containsExactly("other");
    }

    @Test
    void longAndUnusualLabelsAreFound() {
        String wild = "\u0000 \uD800 % _ ! ' \u001A " + "\uD83D\uDE00".repeat(2_000);
        ExecutionId id = accepted(anExecution().labels(Map.of(wild, wild)));
        accepted(anExecution().labels(Map.of(wild, wild + "x")));

        assertThat(all(labels(wild + ":" + wild))).containsExactly(id);
    }

    @Test
    void executionIsFoundByItsCalledToolWhileRunningAndAfterwards() {
        ExecutionId id = accepted(anExecution());
        FencingToken fence = claimed(id);
        accepted(anExecution());
        journal().append(fence, started(1, 1, ECHO));

        assertThat(all(tools("demo.echo"))).containsExactly(id);
        assertThat(all(tools("demo.add"))).isEmpty();

        journal().append(fence, started(2, 2, ECHO));
        assertThat(journal().finish(fence, new ExecutionOutcome.ExecutionCompleted(Json.NULL), started(3, 3, ADD)))
                .contains(ExecutionState.COMPLETED);
        assertThat(all(tools("demo.echo"))).containsExactly(id);
        assertThat(all(tools("demo.echo", "demo.add"))).containsExactly(id);
    }

    @Test
    void onlyStoredCallsAreFound() {
        ExecutionId id = accepted(anExecution());
        FencingToken fence = claimed(id);
        assertThat(journal().append(new FencingToken(id, fence.attempt() + 1), started(1, 1, ECHO)))
                .isFalse();
        assertThat(all(tools("demo.echo"))).isEmpty();

        assertThat(journal().append(fence, started(1, 1, ECHO))).isTrue();
        assertThat(all(tools("demo.echo"))).containsExactly(id);
    }

    private static JournalBatch started(long seq, long call, ToolName tool) {
        return new JournalBatch(
                List.of(new TraceEvent.ToolStarted(seq, AT, call, tool, new Json("[]"), false)), List.of(), false);
    }

    @Test
    void rerunsAreFoundByTheirOriginal() {
        ExecutionId original = accepted(anExecution());
        ExecutionId rerun =
                accepted(anExecution().rerun(new RerunOrigin(original, RerunOrigin.RerunMode.FRESH, 1, false)));
        accepted(anExecution().rerun(new RerunOrigin(rerun, RerunOrigin.RerunMode.FRESH, 1, false)));

        assertThat(all(new ExecutionFilterBuilder().rerunOf(original).build())).containsExactly(rerun);
    }

    @Test
    void filtersCombine() {
        ExecutionId one = accepted(anExecution().labels(Map.of("team", "red")));
        ExecutionId two = accepted(anExecution().labels(Map.of("team", "red")).code("return 'Needle'"));
        accepted(anExecution().code("return 'needle'"));
        claimed(one);

        assertThat(all(new ExecutionFilterBuilder()
                        .labels("team:red")
                        .states(ExecutionState.RUNNING)
                        .build()))
                .containsExactly(one);
        assertThat(all(new ExecutionFilterBuilder()
                        .labels("team:red")
                        .text("needle")
                        .build()))
                .containsExactly(two);
        assertThat(all(new ExecutionFilterBuilder()
                        .labels("team:red")
                        .capability("none")
                        .build()))
                .isEmpty();
    }

    @Test
    void sinceFiltersByAcceptanceTime() {
        ExecutionId one = accepted(anExecution());
        ExecutionId two = accepted(anExecution());
        Instant first = store().find(TENANT, one).orElseThrow().summary().createdAt();
        Instant second = store().find(TENANT, two).orElseThrow().summary().createdAt();

        assertThat(all(new ExecutionFilterBuilder().since(first).build())).containsExactly(two, one);
        assertThat(all(new ExecutionFilterBuilder().since(second).build())).startsWith(two);
        assertThat(all(new ExecutionFilterBuilder().since(second.plusMillis(1)).build()))
                .isEmpty();
        assertThat(all(new ExecutionFilterBuilder().since(Instant.EPOCH).build()))
                .hasSize(2);
    }

    @Test
    void finishedWithinFiltersByEndTime() {
        ExecutionId ended = accepted(anExecution());
        accepted(anExecution());
        journal().finish(claimed(ended), new ExecutionOutcome.ExecutionCompleted(Json.NULL), JournalBatch.NONE);

        assertThat(all(new ExecutionFilterBuilder()
                        .finishedWithin(Duration.ofHours(1))
                        .build()))
                .containsExactly(ended);
        assertThat(all(new ExecutionFilterBuilder()
                        .finishedWithin(Duration.ZERO)
                        .build()))
                .isEmpty();
    }

    @Test
    void liveAndRecentlyEndedExecutionsAreOneList() {
        ExecutionId ended = accepted(anExecution().labels(Map.of("a", "b")));
        ExecutionId waiting = accepted(anExecution());
        journal().finish(claimed(ended), new ExecutionOutcome.ExecutionCompleted(Json.NULL), JournalBatch.NONE);
        ExecutionId running = accepted(anExecution().labels(Map.of("a", "b")));
        claimed(running);

        assertThat(all(recent(Duration.ofHours(1)).build())).containsExactly(running, waiting, ended);
        assertThat(all(recent(Duration.ZERO).build())).containsExactly(running, waiting);
        assertThat(all(recent(Duration.ofHours(1)).labels("a:b").build())).containsExactly(running, ended);
        assertThat(all(recent(Duration.ZERO).labels("a:b").build())).containsExactly(running);
        assertThat(all(recent(Duration.ofHours(1))
                        .states(ExecutionState.PENDING, ExecutionState.COMPLETED)
                        .build()))
                .containsExactly(waiting, ended);
    }

    private static ExecutionFilterBuilder recent(Duration time) {
        return new ExecutionFilterBuilder().unfinishedOrFinishedWithin(time);
    }

    @Test
    void textSearchCoversOnlyTheDocumentedFields() {
        ExecutionId code = accepted(anExecution().code("return 'Grüße: 100%'"));
        ExecutionId intent = accepted(anExecution().intent("Clean the HOUSE"));
        ExecutionId label = accepted(anExecution().labels(Map.of("wing", "west-tower")));
        ExecutionId failed = accepted(anExecution());
        ExecutionError error = new ExecutionError(
                "script-error", ErrorOrigin.SCRIPT, "The drawbridge is stuck", 1, 1, "", Optional.empty(), 0);
        journal().finish(claimed(failed), new ExecutionOutcome.ExecutionFailed(error), JournalBatch.NONE);
        accepted(anExecution().args("\"house drawbridge\""));

        assertThat(all(text("100%"))).containsExactly(code);
        assertThat(all(text("100_"))).isEmpty();
        assertThat(all(text("house"))).containsExactly(intent);
        assertThat(all(text("WEST-tower"))).containsExactly(label);
        assertThat(all(text("drawbridge is"))).containsExactly(failed);
        assertThat(all(text("script-error"))).containsExactly(failed);
        assertThat(all(text("'; drop table execution; --\u0000"))).isEmpty();
    }

    @Test
    void textThatPrefixesAnIdFindsIt() {
        ExecutionId id = accepted(anExecution());
        ExecutionId other = accepted(anExecution().code("return '" + id + "'"));

        assertThat(all(text(id.toString()))).containsExactly(id);
        assertThat(all(text(id.toString().substring(0, 35).toUpperCase(java.util.Locale.ROOT))))
                .contains(id);
        assertThat(all(text(id.toString().substring(0, 8)))).contains(id);
        assertThat(all(text("return '" + id))).containsExactly(other);
    }

    @Test
    void pageScansALimitedWindowAndReturnsItsPosition() {
        ExecutionId oldest = accepted(anExecution().code("return 'needle'"));
        for (int i = 0; i < 2_500; i++) {
            accepted(anExecution());
        }
        ExecutionId newest = accepted(anExecution().code("return 'needle'"));

        ExecutionPage first = store().list(TENANT, text("needle"), Optional.empty(), 10);
        assertThat(first.items()).extracting(ExecutionSummary::id).containsExactly(newest);
        assertThat(first.next()).isPresent();
        ExecutionPage second = store().list(TENANT, text("needle"), first.next(), 10);
        assertThat(second.items()).extracting(ExecutionSummary::id).containsExactly(oldest);
        assertThat(second.next()).isEmpty();
        assertThat(all(new ExecutionFilterBuilder()
                        .states(ExecutionState.PENDING, ExecutionState.RUNNING)
                        .text("needle")
                        .build()))
                .containsExactly(newest, oldest);
    }

    /** Builds filters. An unset criterion matches all executions. */
    private static final class ExecutionFilterBuilder {
        private Set<ExecutionState> states = Set.of();
        private Optional<String> capability = Optional.empty();
        private List<String> labels = List.of();
        private List<String> tools = List.of();
        private Optional<ExecutionId> rerunOf = Optional.empty();
        private Optional<Instant> since = Optional.empty();
        private Optional<Duration> finishedWithin = Optional.empty();
        private boolean unfinished;
        private Optional<String> text = Optional.empty();
        private Optional<String> submitter = Optional.empty();

        ExecutionFilterBuilder states(ExecutionState... which) {
            states = Set.of(which);
            return this;
        }

        ExecutionFilterBuilder capability(String which) {
            capability = Optional.of(which);
            return this;
        }

        ExecutionFilterBuilder labels(String... which) {
            labels = List.of(which);
            return this;
        }

        ExecutionFilterBuilder tools(String... which) {
            tools = List.of(which);
            return this;
        }

        ExecutionFilterBuilder rerunOf(ExecutionId which) {
            rerunOf = Optional.of(which);
            return this;
        }

        ExecutionFilterBuilder since(Instant when) {
            since = Optional.of(when);
            return this;
        }

        ExecutionFilterBuilder finishedWithin(Duration time) {
            finishedWithin = Optional.of(time);
            return this;
        }

        ExecutionFilterBuilder unfinishedOrFinishedWithin(Duration time) {
            unfinished = true;
            return finishedWithin(time);
        }

        ExecutionFilterBuilder text(String which) {
            text = Optional.of(which);
            return this;
        }

        ExecutionFilterBuilder submitter(String which) {
            submitter = Optional.of(which);
            return this;
        }

        ExecutionFilter build() {
            return new ExecutionFilter(
                    states,
                    capability,
                    labels,
                    tools,
                    rerunOf,
                    Optional.empty(),
                    since,
                    finishedWithin,
                    unfinished,
                    text,
                    submitter,
                    false);
        }
    }
}
