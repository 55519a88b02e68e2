package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.capability.MissingTool;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.quota.QuotaType;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.tool.Json;
import org.sallyport.variable.UnsetVariable;

class ScheduledBatchRunnerTest {
    private static final Duration CLAIM = ScheduledBatchRunner.CLAIM_TIME;
    private static final SubmissionResult QUEUE_FULL = new SubmissionResult.TenantQueueFull(10);
    private static final BatchSubmissionResult STORED =
            new BatchSubmissionResult.BatchAccepted(new BatchId(new UUID(1, 1)), false);

    private final RecordingScheduleStore schedules = new RecordingScheduleStore();
    private final QueuedScheduleStore store = new QueuedScheduleStore();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<ScheduleId> submitted = new ArrayList<>();
    private final List<FireResult.FireDeferred> cancelled = new ArrayList<>();
    private boolean ready = true;
    private boolean shutDown;
    private Instant now = RecordingScheduleStore.DUE;
    private ScheduledBatchRunner.BatchSubmitter submitter = (schedule, turn, owner) -> STORED;

    private final ScheduleDelayRecorder delays =
            new ScheduleDelayRecorder(schedules, new Random(7), () -> now, Duration.ofMillis(500));
    private final ScheduledBatchRunner runner = new ScheduledBatchRunner(
            store,
            (schedule, turn, owner) -> {
                submitted.add(schedule.id());
                return submitter.submit(schedule, turn, owner);
            },
            () -> ready,
            new ScheduleOwnerFinder(
                    new ApiKeyService(new OwnerKeyStore(), InstantSource.system(), new SecureRandom()), delays),
            delays,
            100,
            (tenant, previous) -> cancelled.add(previous),
            task -> {
                if (shutDown) {
                    throw new RejectedExecutionException("shut down");
                }
                tasks.add(task);
            });

    private Schedule add(int number, String tenant, String owner) {
        Schedule schedule = RecordingScheduleStore.schedule(
                number, tenant, owner, ConcurrencyPolicy.CANCEL_PREVIOUS, true, Optional.empty());
        store.queue(schedule);
        return schedule;
    }

    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private static BatchSubmissionResult refused(SubmissionResult refusal) {
        return new BatchSubmissionResult.RefusedAsSubmission(refusal);
    }

    static Stream<Arguments> resultsThatPauseTheSchedule() {
        return Stream.of(
                Arguments.of(new BatchSubmissionResult.WrongBatchSize(11, 10), "its file has 11 rows or more"),
                Arguments.of(
                        new BatchSubmissionResult.BatchRefused(Map.of(3, Json.EMPTY_OBJECT)),
                        "1 of its rows cannot be accepted"),
                Arguments.of(
                        new BatchSubmissionResult.BatchAboveQuota(500, 10, QUEUE_FULL),
                        "its batch has 500 executions, and a quota of the tenant allows at most 10"),
                Arguments.of(
                        refused(new SubmissionResult.VariablesNotSet(
                                "c@1.0.0", List.of(new UnsetVariable("REGION", Optional.empty())))),
                        "the variable 'REGION' is not set"),
                Arguments.of(refused(new SubmissionResult.SubmissionForbidden("no grant")), "no grant"));
    }

    @ParameterizedTest
    @MethodSource("resultsThatPauseTheSchedule")
    void scheduleWhoseBatchCanNeverBeStoredIsPaused(BatchSubmissionResult result, String reason) {
        add(1, "acme", "key");
        submitter = (schedule, turn, owner) -> result;
        runner.startQueued();
        runTasks();

        assertThat(schedules.pauses).singleElement().asString().contains(reason);
        assertThat(schedules.delays).isEmpty();
    }

    static Stream<Arguments> resultsThatPass() {
        return Stream.of(
                Arguments.of(new BatchSubmissionResult.BatchServiceBusy(), "the service stores other batches"),
                Arguments.of(refused(QUEUE_FULL), "wait to start"),
                Arguments.of(refused(new SubmissionResult.TenantQuotaExceeded(QuotaType.LIVE, 10)), "quota"),
                Arguments.of(refused(new SubmissionResult.ScriptCheckUnavailable("full")), "sandbox"),
                Arguments.of(
                        refused(new SubmissionResult.ToolsMissing(
                                "c@1.0.0", List.of(new MissingTool("b.t", "b", "gone")))),
                        MissingTool.describe(List.of(new MissingTool("b.t", "b", "gone")))),
                Arguments.of(
                        refused(new SubmissionResult.SandboxNotAllowed("c@1.0.0", "not on this node")),
                        "not on this node"),
                Arguments.of(
                        refused(new SubmissionResult.VariablesNotSet(
                                "c@1.0.0", List.of(new UnsetVariable("KEY", Optional.of("weather-key"), true)))),
                        "is encrypted with a key that a node"));
    }

    @ParameterizedTest
    @MethodSource("resultsThatPass")
    void batchThatCannotBeStoredNowIsTriedAgain(BatchSubmissionResult result, String reason) {
        add(1, "acme", "key");
        submitter = (schedule, turn, owner) -> result;
        runner.startQueued();
        runTasks();

        assertThat(schedules.delays).singleElement().asString().contains(reason);
        assertThat(schedules.pauses).isEmpty();
    }

    @Test
    void failuresAreRecordedAsWell() {
        Schedule schedule = add(1, "acme", "key");
        submitter = (each, turn, owner) -> {
            throw new ScheduledRowsRefusedException("no rows");
        };
        runner.startQueued();
        runTasks();
        assertThat(schedules.pauses).containsExactly("no rows");

        store.queue(schedule);
        submitter = (each, turn, owner) -> {
            throw new StoreUnavailableException("down", new IllegalStateException());
        };
        runner.startQueued();
        runTasks();
        assertThat(schedules.delays).containsExactly("the database did not answer while its batch was stored");

        now = now.plusSeconds(3_600);
        store.queue(schedule);
        submitter = (each, turn, owner) -> {
            throw new IllegalStateException("a bug");
        };
        runner.startQueued();
        runTasks();
        assertThat(schedules.delays).hasSize(2).last().asString().startsWith("the service failed");
    }

    @Test
    void storedBatchNeedsNothingElse() {
        add(1, "acme", "key");
        runner.startQueued();
        runTasks();

        assertThat(submitted).hasSize(1);
        assertThat(schedules.pauses).isEmpty();
        assertThat(schedules.delays).isEmpty();
        assertThat(store.renewals).isEmpty();
    }

    @Test
    void supersededBatchEndsTheClaim() {
        Schedule schedule = add(1, "acme", "key");
        submitter = (each, turn, owner) -> new BatchSubmissionResult.BatchSuperseded();
        runner.startQueued();
        runTasks();

        assertThat(store.renewals).containsExactly(Map.entry(schedule.id(), Duration.ZERO));
        assertThat(schedules.delays).isEmpty();
    }

    @Test
    void delayOfABatchGrows() {
        Schedule schedule = add(1, "acme", "key");
        submitter = (each, turn, owner) -> refused(QUEUE_FULL);
        for (int i = 0; i < 6; i++) {
            store.queue(schedule);
            runner.startQueued();
            runTasks();
            now = now.plusSeconds(3_600);
        }

        int[] seconds = {5, 10, 20, 40, 60, 60};
        assertThat(schedules.waits).hasSize(seconds.length);
        IntStream.range(0, seconds.length)
                .forEach(i -> assertThat(schedules.waits.get(i))
                        .isBetween(Duration.ofSeconds(seconds[i]), Duration.ofSeconds(seconds[i] + 2)));
    }

    @Test
    void delayedTimeIsLeftToOtherNodesForOnePoll() {
        Schedule schedule = add(1, "acme", "key");
        submitter = (each, turn, owner) -> refused(QUEUE_FULL);
        runner.startQueued();
        runTasks();
        store.queue(schedule);
        now = now.plus(schedules.waits.get(0));
        runner.startQueued();
        assertThat(submitted).hasSize(1);
        assertThat(tasks).isEmpty();
        now = now.plusSeconds(2);
        runner.startQueued();
        assertThat(tasks).hasSize(1);
    }

    @Test
    void nodeSubmitsTwoBatchesAtATimeAndTheTenantsTakeTurns() {
        List<ScheduleId> acme = IntStream.range(0, 5)
                .mapToObj(number -> add(number, "acme", "key").id())
                .toList();
        ScheduleId other = add(5, "other", "other-key").id();
        runner.startQueued();
        assertThat(store.claims).containsExactly(acme.get(0), other);
        runner.startQueued();
        assertThat(store.claims).as("no slot is free").hasSize(2);
        runTasks();
        runner.startQueued();
        assertThat(store.claims).containsExactly(acme.get(0), other, acme.get(1), acme.get(2));
    }

    @Test
    void nothingIsClaimedBeforeTheNodeIsReady() {
        ready = false;
        add(1, "acme", "key");
        runner.startQueued();
        assertThat(store.claims).isEmpty();
        ready = true;
        runner.startQueued();
        assertThat(store.claims).hasSize(1);
    }

    @Test
    void claimIsRenewedUntilTheWorkEnds() {
        Schedule schedule = add(1, "acme", "key");
        submitter = (each, turn, owner) -> {
            runner.renewClaims();
            return STORED;
        };
        runner.startQueued();
        runner.renewClaims();
        assertThat(store.renewals).containsExactly(Map.entry(schedule.id(), CLAIM));
        runTasks();
        assertThat(store.renewals).hasSize(2);
        runner.renewClaims();
        assertThat(store.renewals).hasSize(2);
    }

    @Test
    void claimEndsIfTheNodeShutsDown() {
        Schedule schedule = add(1, "acme", "key");
        shutDown = true;
        runner.startQueued();
        assertThat(store.renewals).containsExactly(Map.entry(schedule.id(), Duration.ZERO));
        assertThat(submitted).isEmpty();
    }

    @Test
    void previousBatchIsCancelledInTheBackground() {
        Schedule schedule = add(1, "acme", "key");
        FireResult.FireDeferred held = new FireResult.FireDeferred(List.of(), List.of(new BatchId(new UUID(2, 2))));
        store.results.put(schedule.id(), held);
        runner.startQueued();
        assertThat(cancelled).as("the thread that polls does not do it").isEmpty();
        runTasks();
        assertThat(cancelled).containsExactly(held);
        assertThat(submitted).isEmpty();
        assertThat(store.renewals).isEmpty();
    }

    @Test
    void timeThatAnotherNodeHasIsNotTriedAgainInTheSamePoll() {
        Schedule schedule = add(1, "acme", "key");
        store.results.put(schedule.id(), new FireResult.FireSuperseded());
        runner.startQueued();
        assertThat(store.claims).containsExactly(schedule.id());
        assertThat(tasks).isEmpty();
    }

    @Test
    void ownerThatMayNotSubmitPausesTheSchedule() {
        add(1, "acme", "deleted-key");
        add(2, "acme", "reading-key");
        add(3, "acme", "other-key");
        runner.startQueued();
        assertThat(store.claims).isEmpty();
        assertThat(schedules.pauses)
                .containsExactly(
                        "the key of its owner is no longer valid",
                        "the key of its owner may no longer submit",
                        "the key of its owner is no longer valid");
    }

    @Test
    void timesThatAreLeftToOtherNodesHideNoOthers() {
        submitter = (each, turn, owner) -> refused(QUEUE_FULL);
        List<Schedule> full = IntStream.range(0, 60)
                .mapToObj(number -> add(number, "acme", "key"))
                .toList();
        for (int i = 0; i < 30; i++) {
            runner.startQueued();
            runTasks();
        }
        full.forEach(store::queue);
        Map<ScheduleId, Integer> tries = new HashMap<>();
        runner.startQueued();
        store.claims.forEach(id -> tries.merge(id, 1, Integer::sum));
        assertThat(tries.values())
                .as("one is tried although the node leaves it to others")
                .contains(2);
    }

    /** The request of a schedule may have megabytes. */
    @Test
    void fewSchedulesAreInMemoryAtTheSameTime() {
        IntStream.range(0, 60).forEach(number -> add(number, "acme", "key"));

        runner.startQueued();

        assertThat(store.claims).hasSize(2);
        assertThat(store.maxRequested).isLessThanOrEqualTo(8);
    }
}
