package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.tool.Json;

/** Contract of {@link ExecutionStore}, for every implementation. Each test starts with an empty store. */
public abstract class ExecutionStoreContract {
    protected static final String TENANT = "tenant-a";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Optional<ExecutionId> FROM_THE_NEWEST = Optional.empty();

    /** The store under test. A job that no node claims is overdue {@code firstCheck} after the store accepted it. */
    protected abstract ExecutionStore store(Duration firstCheck);

    /** The journal over the same data. */
    protected abstract Journal journal();

    private ExecutionStore store() {
        return store(HOUR);
    }

    private ExecutionId accepted(NewExecutionBuilder execution) {
        NewExecution built = execution.build();
        assertThat(store().insert(built)).isEqualTo(new InsertResult.ExecutionInserted(built.id()));
        return built.id();
    }

    private ClaimedExecution claimed(ExecutionId id) {
        return store().claim(id, "node.1").orElseThrow();
    }

    private Execution found(ExecutionId id) {
        return store().find(TENANT, id).orElseThrow();
    }

    private void end(ExecutionId id, ExecutionOutcome outcome) {
        FencingToken fence = claimed(id).fence();
        assertThat(journal().finish(fence, outcome, JournalBatch.NONE)).isPresent();
    }

    static ExecutionOutcome completed(String json) {
        return new ExecutionOutcome.ExecutionCompleted(new Json(json));
    }

    static ExecutionOutcome failed(String message) {
        return new ExecutionOutcome.ExecutionFailed(ExecutionError.of(ErrorCode.SCRIPT_ERROR, message));
    }

    @Test
    void retainUnfinishedKeepsOnlyUnfinishedExecutions() {
        ExecutionId pending = accepted(anExecution());
        ExecutionId running = accepted(anExecution());
        claimed(running);
        ExecutionId ended = accepted(anExecution());
        end(ended, completed("1"));
        ExecutionId unknown = new ExecutionId(new UUID(1, 2));

        assertThat(store().retainUnfinished(List.of(ended, pending, unknown, running)))
                .containsExactlyInAnyOrder(pending, running);
        assertThat(store().retainUnfinished(List.of())).isEmpty();
    }

    @Test
    void acceptedExecutionIsFoundAsSubmitted() {
        NewExecution submitted = anExecution()
                .code("  // first\n\treturn args.a;")
                .args("{\"a\":[1,2.5,\"x\"]}")
                .labels(Map.of("team", "blue", "run", "7"))
                .grants("demo.*", "files.read")
                .priority(9)
                .intent("to see it work")
                .additionalLimits(Map.of(AdditionalLimit.TIMERS, 7, AdditionalLimit.ARTIFACTS, 0))
                .build();
        store().insert(submitted);
        Execution found = found(submitted.id());
        assertThat(found.state()).isEqualTo(ExecutionState.PENDING);
        assertThat(found.args()).isEqualTo(submitted.args());
        assertThat(found.limits()).isEqualTo(submitted.limits());
        assertThat(found.grants()).isEqualTo(submitted.grants());
        assertThat(found.intent()).isEqualTo(submitted.intent());
        assertThat(found.cancelRequested()).isFalse();
        assertThat(found.result()).isEmpty();
        assertThat(found.error()).isEmpty();
        assertThat(found.outputLength() + found.errorOutputLength()).isZero();
        assertThat(found.truncated()).isFalse();
        ExecutionSummary summary = found.summary();
        assertThat(summary.tenant()).isEqualTo(TENANT);
        assertThat(summary.language()).isEqualTo(ScriptLanguage.JAVASCRIPT);
        assertThat(summary.codePreview()).isEqualTo("// first return args.a;");
        assertThat(summary.priority()).isEqualTo(9);
        assertThat(summary.attempt()).isZero();
        assertThat(summary.labels()).isEqualTo(submitted.labels());
        assertThat(summary.errorCode()).isEmpty();
        assertThat(summary.createdAt())
                .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
        assertThat(summary.startedAt()).isEmpty();
        assertThat(summary.finishedAt()).isEmpty();
        assertThat(store().findCode(TENANT, submitted.id())).contains(submitted.code());
    }

    @Test
    void pollVersionGrowsWithWrittenEntries() {
        ExecutionId id = accepted(anExecution());
        assertThat(store().pollVersion(TENANT, id)).contains(new ExecutionVersion(ExecutionState.PENDING, 0, 0, 0, 0));
        assertThat(store().pollVersion("tenant-b", id)).isEmpty();
        end(id, completed("1"));
        assertThat(store().pollVersion(TENANT, id))
                .contains(new ExecutionVersion(ExecutionState.COMPLETED, 1, 1, 0, 0));
    }

    @Test
    void rerunNamesItsOriginalAndKeepsTheSeedUnlessFresh() {
        ExecutionId first = accepted(anExecution());
        ClaimedExecution original = claimed(first);
        RerunOrigin from = new RerunOrigin(first, RerunOrigin.RerunMode.FROM, 3, true);
        RerunOrigin fresh = new RerunOrigin(first, RerunOrigin.RerunMode.FRESH, 1, false);
        ClaimedExecution repeating = claimed(accepted(anExecution().rerun(from)));
        ClaimedExecution anew = claimed(accepted(anExecution().rerun(fresh)));

        assertThat(original.rerun()).isEmpty();
        assertThat(repeating.rerun()).contains(from);
        assertThat(anew.rerun()).contains(fresh);
        assertThat(repeating.seed()).isEqualTo(original.seed());
        assertThat(anew.seed()).isNotEqualTo(original.seed());
        assertThat(found(first).summary().rerunOf()).isEmpty();
        assertThat(found(anew.fence().id()).summary().rerunOf()).contains(first);
    }

    @Test
    void submissionCanBeReadForResubmission() {
        NewExecution execution = anExecution()
                .context("[1]")
                .args("2")
                .additionalLimits(Map.of(AdditionalLimit.EVENTS, 3))
                .build();
        store().insert(execution);

        StoredSubmission submitted =
                store().findSubmission(TENANT, execution.id()).orElseThrow();

        assertThat(submitted.code()).isEqualTo(execution.code());
        assertThat(submitted.args()).isEqualTo(execution.args());
        assertThat(submitted.context()).isEqualTo(execution.context());
        assertThat(submitted.limits()).isEqualTo(execution.limits());
        assertThat(submitted.grants()).isEqualTo(execution.grants());
        assertThat(store().findSubmission("tenant-b", execution.id())).isEmpty();
    }

    @Test
    void variablesAreReadByEachClaimAndForRerun() {
        PinnedVariables pinned = new PinnedVariables("ab12:" + "c2VhbGVk".repeat(10_000), "REGION 1");
        ExecutionId id = accepted(anExecution().variables(pinned));
        PinnedVariables stored = PinnedVariables.ofStored(pinned.ciphertext());
        assertThat(store().findSubmission(TENANT, id).orElseThrow().variables()).contains(stored);
        assertThat(store().claim(id, "node.1").orElseThrow().variables()).contains(stored);
        ExecutionId plain = accepted(anExecution());
        assertThat(store().findSubmission(TENANT, plain).orElseThrow().variables())
                .isEmpty();
        assertThat(store().claim(plain, "node.1").orElseThrow().variables()).isEmpty();
    }

    @Test
    void claimReportsTheSandboxThatACapabilityAsksFor() {
        CapabilityRef fees = new CapabilityRef("shop.fees", "1.0.0");
        for (Optional<CapabilitySandbox> sandbox : List.of(
                Optional.<CapabilitySandbox>empty(),
                Optional.of(CapabilitySandbox.PROCESS),
                Optional.of(CapabilitySandbox.IN_PROCESS))) {
            ExecutionId id = accepted(anExecution().capability(new CapabilityBinding(fees, Optional.empty(), sandbox)));
            assertThat(store().claim(id, "node.1").orElseThrow().sandbox()).isEqualTo(sandbox);
        }
    }

    @Test
    void effectModeIsStored() {
        ExecutionId plan = new ExecutionId(UUID.randomUUID());
        for (EffectMode effects : List.of(
                EffectMode.REAL,
                EffectMode.READ_ONLY,
                new EffectMode.DryRun(new Json("{\"b.t\":\"\\u0000\"}")),
                new EffectMode.ApprovedPlan(plan, "key-2"))) {
            ExecutionId id = accepted(anExecution().effects(effects));
            assertThat(found(id).effects()).isEqualTo(effects);
            StoredSubmission submitted = store().findSubmission(TENANT, id).orElseThrow();
            assertThat(submitted.effects()).isEqualTo(effects);
            assertThat(submitted.submitter()).isEqualTo("key-1");
            assertThat(store().claim(id, "node.1").orElseThrow().effects()).isEqualTo(effects);
        }
    }

    @Test
    void otherTenantSeesNoExecution() {
        ExecutionId id = accepted(anExecution());
        assertThat(store().find("tenant-b", id)).isEmpty();
        assertThat(store().findCode("tenant-b", id)).isEmpty();
        assertThat(store().queuePosition("tenant-b", id)).isEmpty();
        assertThat(store().cancel("tenant-b", id)).isEqualTo(new CancelResult.CancelTargetNotFound());
        assertThat(store().list("tenant-b", new ExecutionFilter(Set.of()), FROM_THE_NEWEST, 10)
                        .items())
                .isEmpty();
        assertThat(found(id).state()).isEqualTo(ExecutionState.PENDING);
    }

    @Test
    void unknownExecutionIsNotFound() {
        ExecutionId unknown = new ExecutionId(UUID.randomUUID());
        assertThat(store().find(TENANT, unknown)).isEmpty();
        assertThat(store().findCode(TENANT, unknown)).isEmpty();
        assertThat(store().claim(unknown, "node.1")).isEmpty();
        assertThat(store().cancel(TENANT, unknown)).isEqualTo(new CancelResult.CancelTargetNotFound());
        assertThat(store().queuePosition(TENANT, unknown)).isEmpty();
        assertThat(store().readOutput(unknown, OutputKind.OUT, 0, 100)).isEmpty();
    }

    @Test
    void anyTextRoundTrips() {
        String wild = "\u0000 \uD800 \uDC00x \u001A \u001A0000 \uD83D\uDE00 e\u0301 \u2028"
                + " '; drop table execution; -- \uD800";
        NewExecution submitted = anExecution()
                .code(wild)
                .tenant(TENANT)
                .labels(Map.of(wild, wild))
                .grants(wild)
                .intent(wild)
                .args("\"lone \uD800 surrogate\"")
                .build();
        store().insert(submitted);
        assertThat(store().findCode(TENANT, submitted.id())).contains(wild);
        Execution found = found(submitted.id());
        assertThat(found.summary().labels()).isEqualTo(Map.of(wild, wild));
        assertThat(found.intent()).contains(wild);
        assertThat(found.grants()).containsExactly(wild);
        assertThat(found.args().text()).isEqualTo("\"lone \\ud800 surrogate\"");
        ClaimedExecution claim = claimed(submitted.id());
        assertThat(claim.code()).isEqualTo(wild);
        assertThat(claim.grants()).containsExactly(wild);
    }

    @Test
    void anyTenantNameWorksInEveryQuery() {
        String tenant = "t\u0000\uD800\u001A'";
        ExecutionId id = accepted(anExecution().tenant(tenant));
        assertThat(store().find(tenant, id)).isPresent();
        assertThat(store().queuePosition(tenant, id)).contains(1L);
        assertThat(store().list(tenant, new ExecutionFilter(Set.of()), FROM_THE_NEWEST, 10)
                        .items())
                .hasSize(1);
        assertThat(store(Duration.ZERO).cancel(tenant, id)).isEqualTo(new CancelResult.CancelledImmediately(false));
    }

    @Test
    void largeValuesFit() {
        String megabyte = "0123456789abcdef".repeat(1 << 16);
        ExecutionId id = accepted(anExecution()
                .code("\u0000" + megabyte + megabyte)
                .args("\"" + megabyte + "\"")
                .intent(megabyte)
                .labels(Map.of("l".repeat(300), "v".repeat(300))));
        assertThat(store().findCode(TENANT, id).orElseThrow()).hasSize(2 * megabyte.length() + 1);
        assertThat(found(id).args().text()).hasSize(megabyte.length() + 2);
        assertThat(found(id).intent().orElseThrow()).isEqualTo(megabyte);
        ExecutionError error = new ExecutionError(
                "tool-error", ErrorOrigin.TOOL, megabyte, 3, 4, megabyte, Optional.of("a." + megabyte), 7);
        FencingToken fence = claimed(id).fence();
        assertThat(journal().finish(fence, new ExecutionOutcome.ExecutionFailed(error), JournalBatch.NONE))
                .contains(ExecutionState.FAILED);
        assertThat(found(id).error()).contains(error);
        ExecutionId other = accepted(anExecution());
        end(other, completed("\"" + megabyte + megabyte + "\""));
        assertThat(found(other).result().orElseThrow().text()).hasSize(2 * megabyte.length() + 2);
    }

    @Test
    void claimReturnsAllThatARunNeeds() {
        NewExecution submitted = anExecution()
                .code("return context")
                .args("[1]")
                .context("{\"k\":1}")
                .wallMillis(60_000)
                .additionalLimits(Map.of(AdditionalLimit.RESULT_CHARS, 16 << 20))
                .build();
        store().insert(submitted);
        ClaimedExecution claim = claimed(submitted.id());
        assertThat(claim.fence()).isEqualTo(new FencingToken(submitted.id(), 1));
        assertThat(claim.tenant()).isEqualTo(TENANT);
        assertThat(claim.code()).isEqualTo("return context");
        assertThat(claim.language()).isEqualTo(ScriptLanguage.JAVASCRIPT);
        assertThat(claim.args()).isEqualTo(submitted.args());
        assertThat(claim.context()).isEqualTo(submitted.context());
        assertThat(claim.limits()).isEqualTo(submitted.limits());
        assertThat(claim.grants()).isEqualTo(submitted.grants());
        assertThat(claim.remainingMillis()).isBetween(30_000L, 60_000L);
        assertThat(claim.now()).isBetween(claim.createdAt(), claim.createdAt().plusSeconds(60));
        assertThat(claim.lastSeq()).isZero();
        Execution found = found(submitted.id());
        assertThat(found.state()).isEqualTo(ExecutionState.RUNNING);
        assertThat(found.summary().attempt()).isEqualTo(1);
        assertThat(found.summary().createdAt()).isEqualTo(claim.createdAt());
        assertThat(found.summary().startedAt()).isPresent();
        assertThat(found.summary().finishedAt()).isEmpty();
    }

    @Test
    void secondClaimFails() {
        ExecutionId id = accepted(anExecution());
        claimed(id);
        assertThat(store().claim(id, "node.2")).isEmpty();
        assertThat(found(id).summary().attempt()).isEqualTo(1);
    }

    @Test
    void claimIsFoundByItsOwnerOnly() {
        ExecutionId id = accepted(anExecution());
        assertThat(store().findClaim(id, "node.1")).as("not claimed").isEmpty();
        ClaimedExecution claim = claimed(id);

        ClaimedExecution found = store().findClaim(id, "node.1").orElseThrow();

        assertThat(found.remainingMillis()).isBetween(1L, claim.remainingMillis());
        assertThat(found)
                .usingRecursiveComparison()
                .ignoringFields("now", "remainingMillis")
                .isEqualTo(claim);
        assertThat(store().findClaim(id, "node.2")).isEmpty();
        assertThat(store().findClaim(new ExecutionId(new UUID(1, 2)), "node.1")).isEmpty();
        assertThat(journal().release(claim.fence(), JournalBatch.NONE)).isEqualTo(ReleaseResult.RELEASED);
        assertThat(store().findClaim(id, "node.1")).as("released").isEmpty();
        end(id, completed("1"));
        assertThat(store().findClaim(id, "node.1")).as("ended").isEmpty();
    }

    @Test
    void runsAreFoundByTheirOwner() {
        ExecutionId running = accepted(anExecution().durability(Durability.NONE));
        ExecutionId cancelled = accepted(anExecution());
        ExecutionId ended = accepted(anExecution());
        ExecutionId foreign = accepted(anExecution());
        accepted(anExecution());
        FencingToken first = claimed(running).fence();
        FencingToken second = claimed(cancelled).fence();
        store().cancel(TENANT, cancelled);
        end(ended, completed("1"));
        FencingToken third = store().claim(foreign, "node.2").orElseThrow().fence();

        assertThat(store().findOwnedRuns("node.1"))
                .containsExactlyInAnyOrder(
                        new OwnedRun(first, Durability.NONE, false), new OwnedRun(second, Durability.JOURNAL, true));
        assertThat(store().findOwnedRuns("node.2")).containsExactly(new OwnedRun(third, Durability.JOURNAL, false));
        assertThat(store().findOwnedRuns("node.3")).isEmpty();
    }

    @Test
    void oneOfManyConcurrentClaimsWins() throws Exception {
        for (int round = 0; round < 5; round++) {
            ExecutionId id = accepted(anExecution());
            List<Optional<ClaimedExecution>> claims =
                    ConcurrencyTestUtil.runConcurrently(32, n -> store().claim(id, "node." + n));
            assertThat(claims.stream().filter(Optional::isPresent)).hasSize(1);
            assertThat(found(id).summary().attempt()).isEqualTo(1);
        }
    }

    @Test
    void terminalExecutionIsNeverClaimedOrCancelled() {
        for (ExecutionOutcome outcome : List.of(
                completed("1"),
                failed("no"),
                new ExecutionOutcome.ExecutionCancelled(),
                new ExecutionOutcome.ExecutionTimedOut(ExecutionError.of(ErrorCode.WALL_CLOCK_LIMIT, "late")))) {
            ExecutionId id = accepted(anExecution());
            end(id, outcome);
            Execution ended = found(id);
            assertThat(ended.state()).isEqualTo(outcome.state());
            assertThat(ended.summary().finishedAt()).isPresent();
            assertThat(store().claim(id, "node.2")).isEmpty();
            assertThat(store().cancel(TENANT, id)).isEqualTo(new CancelResult.AlreadyTerminal(outcome.state()));
            assertThat(journal().finish(new FencingToken(id, 1), completed("2"), JournalBatch.NONE))
                    .isEmpty();
            assertThat(journal().append(new FencingToken(id, 1), JournalBatch.NONE))
                    .isFalse();
            assertThat(found(id)).isEqualTo(ended);
        }
    }

    @Test
    void firstCancelRequestStaysWithItsReason() {
        CancelRequest first = CancelRequest.by("key\u0000-1", Optional.of("wrong \ud800 data"));
        CancelRequest later = CancelRequest.by("key-2", Optional.of("another reason"));
        ExecutionId queued = accepted(anExecution());
        ExecutionId running = accepted(anExecution());
        ExecutionId untold = accepted(anExecution());
        claimed(running);
        claimed(untold);
        assertThat(found(queued).cancellation()).isEmpty();

        store().cancel(TENANT, queued, first, tool -> true);
        store().cancel(TENANT, queued, later, tool -> true);
        store().cancel(TENANT, running, first, tool -> true);
        store().cancel(TENANT, running, later, tool -> true);
        store().cancel(TENANT, untold);
        store().cancel(TENANT, untold, later, tool -> true);

        assertThat(found(running).cancellation().orElseThrow().request()).isEqualTo(first);
        journal().finish(new FencingToken(running, 1), new ExecutionOutcome.ExecutionCancelled(), JournalBatch.NONE);
        for (ExecutionId id : List.of(queued, running)) {
            assertThat(found(id).state()).isEqualTo(ExecutionState.CANCELLED);
            assertThat(found(id).cancellation().orElseThrow().request()).isEqualTo(first);
        }
        assertThat(found(untold).cancellation().orElseThrow().request())
                .isEqualTo(new CancelRequest(Optional.empty(), Optional.empty()));
    }

    @Test
    void cancelledWhileQueuedNeverRuns() {
        ExecutionId id = accepted(anExecution());
        assertThat(store().cancel(TENANT, id)).isEqualTo(new CancelResult.CancelledImmediately(false));
        Execution found = found(id);
        assertThat(found.state()).isEqualTo(ExecutionState.CANCELLED);
        assertThat(found.summary().finishedAt()).isPresent();
        assertThat(store().claim(id, "node.1")).isEmpty();
        assertThat(journal().readTrace(id, 0, 10)).hasSize(1);
    }

    @Test
    void cancelOfARunningExecutionIsStoredForItsRunner() {
        ExecutionId id = accepted(anExecution());
        ExecutionId other = accepted(anExecution());
        claimed(id);
        claimed(other);
        assertThat(store().findCancelRequests("node.1")).isEmpty();
        assertThat(store().cancel(TENANT, id)).isEqualTo(new CancelResult.CancelRequested(false));
        assertThat(store().cancel(TENANT, id)).isEqualTo(new CancelResult.CancelRequested(true));
        assertThat(found(id).state()).isEqualTo(ExecutionState.RUNNING);
        assertThat(found(id).cancelRequested()).isTrue();
        assertThat(store().findCancelRequests("node.1")).containsExactly(id);
        assertThat(store().findCancelRequests("node.2")).isEmpty();
        journal().finish(new FencingToken(id, 1), new ExecutionOutcome.ExecutionCancelled(), JournalBatch.NONE);
        assertThat(store().findCancelRequests("node.1")).isEmpty();
    }

    @Test
    void sameKeyAndBodyReturnTheFirstExecution() {
        ExecutionId first = accepted(anExecution().idempotency("k\u0000", "hash-1"));
        assertThat(store().insert(anExecution().idempotency("k\u0000", "hash-1").build()))
                .isEqualTo(new InsertResult.ExecutionAlreadyInserted(first));
        assertThat(store().insert(anExecution().idempotency("k\u0000", "hash-2").build()))
                .isEqualTo(new InsertResult.ExecutionKeyConflict());
        assertThat(store().insert(anExecution()
                        .tenant("tenant-b")
                        .idempotency("k\u0000", "hash-2")
                        .build()))
                .isInstanceOf(InsertResult.ExecutionInserted.class);
        assertThat(store().list(TENANT, new ExecutionFilter(Set.of()), FROM_THE_NEWEST, 10)
                        .items())
                .hasSize(1);
    }

    @Test
    void oneOfManySubmissionsWithTheSameKeyIsStored() throws Exception {
        for (int round = 0; round < 3; round++) {
            String key = "key-" + round;
            List<InsertResult> answers = ConcurrencyTestUtil.runConcurrently(
                    32,
                    n -> store().insert(anExecution().idempotency(key, "hash").build()));
            List<ExecutionId> stored = answers.stream()
                    .filter(InsertResult.ExecutionInserted.class::isInstance)
                    .map(a -> ((InsertResult.ExecutionInserted) a).id())
                    .toList();
            assertThat(stored).hasSize(1);
            assertThat(answers)
                    .allMatch(a -> a.equals(new InsertResult.ExecutionInserted(stored.get(0)))
                            || a.equals(new InsertResult.ExecutionAlreadyInserted(stored.get(0)))
                            || a.equals(new InsertResult.ExecutionInsertInProgress()));
            assertThat(store().list(TENANT, new ExecutionFilter(Set.of()), FROM_THE_NEWEST, 10)
                            .items())
                    .hasSize(round + 1);
        }
    }

    @Test
    void pagesCoverAllExecutionsOnceNewestFirst() throws Exception {
        List<ExecutionId> ids = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            ids.add(anExecution().build().id());
        }
        ConcurrencyTestUtil.runConcurrently(4, n -> {
            for (int i = n; i < ids.size(); i += 4) {
                accepted(anExecution().id(ids.get(i)));
                if (i % 100 == 99) {
                    end(ids.get(i), failed("one in a hundred"));
                } else if (i % 100 == 50) {
                    claimed(ids.get(i));
                }
            }
            return n;
        });
        accepted(anExecution().tenant("tenant-b"));
        List<ExecutionId> newestFirst = new ArrayList<>(ids);
        Collections.reverse(newestFirst);
        assertThat(allPages(Set.of(), 37)).isEqualTo(newestFirst);
        assertThat(allPages(Set.of(ExecutionState.FAILED), 3))
                .isEqualTo(newestFirst.stream()
                        .filter(id -> ids.indexOf(id) % 100 == 99)
                        .toList());
        assertThat(allPages(EnumSet.of(ExecutionState.FAILED, ExecutionState.RUNNING), 3))
                .isEqualTo(newestFirst.stream()
                        .filter(id -> ids.indexOf(id) % 100 == 99 || ids.indexOf(id) % 100 == 50)
                        .toList());
        assertThat(allPages(Set.of(ExecutionState.WAITING), 3)).isEmpty();
    }

    private List<ExecutionId> allPages(Set<ExecutionState> states, int size) {
        List<ExecutionId> all = new ArrayList<>();
        Optional<ExecutionId> before = FROM_THE_NEWEST;
        while (true) {
            List<ExecutionSummary> page = store().list(TENANT, new ExecutionFilter(states), before, size)
                    .items();
            page.forEach(summary -> all.add(summary.id()));
            if (page.size() < size) {
                return all;
            }
            before = Optional.of(page.get(size - 1).id());
        }
    }

    @Test
    void queuePositionFollowsPriorityThenAge() {
        ExecutionId first = accepted(anExecution().priority(4));
        ExecutionId second = accepted(anExecution().priority(4));
        ExecutionId urgent = accepted(anExecution().priority(9));
        ExecutionId last = accepted(anExecution().priority(0));
        accepted(anExecution().tenant("tenant-b").priority(9));
        assertThat(List.of(urgent, first, second, last))
                .extracting(id -> store().queuePosition(TENANT, id).orElseThrow())
                .containsExactly(1L, 2L, 3L, 4L);
        claimed(first);
        assertThat(store().queuePosition(TENANT, first)).isEmpty();
        assertThat(store().queuePosition(TENANT, second)).contains(2L);
    }

    @Test
    void overdueJobIsReturnedOnce() {
        ExecutionStore impatient = store(Duration.ZERO);
        NewExecution submitted = anExecution().priority(7).build();
        impatient.insert(submitted);
        accepted(anExecution());
        NewExecution taken = anExecution().build();
        impatient.insert(taken);
        claimed(taken.id());
        assertThat(store().overdueJobs(HOUR, 10)).containsExactly(new ExecutionJob(submitted.id(), TENANT, 7, 0));
        assertThat(store().overdueJobs(HOUR, 10)).isEmpty();
    }

    @Test
    void overdueJobIsReturnedAgainAfterAnotherTimeout() {
        ExecutionStore impatient = store(Duration.ZERO);
        NewExecution submitted = anExecution().build();
        impatient.insert(submitted);
        assertThat(store().overdueJobs(Duration.ZERO, 10)).hasSize(1);
        assertThat(store().overdueJobs(Duration.ZERO, 10)).hasSize(1);
    }

    @Test
    void concurrentPollsReturnEachOverdueJobOnce() throws Exception {
        ExecutionStore impatient = store(Duration.ZERO);
        for (int i = 0; i < 60; i++) {
            impatient.insert(anExecution().build());
        }
        List<ExecutionJob> given = new ArrayList<>();
        ConcurrencyTestUtil.runConcurrently(8, n -> impatient.overdueJobs(HOUR, 10))
                .forEach(given::addAll);
        List<ExecutionJob> more = impatient.overdueJobs(HOUR, 100);
        given.addAll(more);
        assertThat(given).hasSize(60).doesNotHaveDuplicates();
    }

    @Test
    void pingSucceeds() {
        store().ping();
    }
}
