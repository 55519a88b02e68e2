package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.SandboxContract;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.Toolbox;

/** Tests the assignment of sessions to workers, and the replacement of workers. */
class WorkerSchedulerTest {
    private static final SessionResult RETURNED = new SessionResult.ScriptReturned("1");

    private final FakeWorkerPool peers = new FakeWorkerPool();
    private WorkerSandbox sandbox = peers.open(settings(0, 2, 10, 1_000, WorkerSharing.TENANT));

    private static WorkerSettings settings(
            int warm, int workers, int perWorker, int recycleAfter, WorkerSharing share) {
        return new WorkerSettings(
                Path.of("target"),
                Optional.empty(),
                64,
                1,
                warm,
                workers,
                perWorker,
                recycleAfter,
                Duration.ofMinutes(1),
                share,
                Duration.ofMillis(100),
                0,
                Optional.empty(),
                false);
    }

    private void reopen(WorkerSettings settings) {
        sandbox.close();
        sandbox = peers.open(settings);
    }

    @AfterEach
    void close() {
        sandbox.close();
    }

    private static SessionRequest request(String tenant) {
        Script script = new Script("x", SourceLanguage.JAVASCRIPT);
        return new SessionRequest("s", tenant, script, "{}", "{}", SandboxContract.LIMITS, Toolbox.EMPTY);
    }

    private RecordingListener start(String tenant) {
        return RecordingListener.start(sandbox, request(tenant));
    }

    private FakeWorkerPool.HeldWorkerSession startAloneAndAwait(String tenant) throws Exception {
        int before = peers.heldSessions().size();
        RecordingListener.start(sandbox, request(tenant).withOwnWorker());
        awaitHeld(before + 1);
        return peers.heldSessions().get(before);
    }

    /** Starts a session and waits until a worker runs it. */
    private FakeWorkerPool.HeldWorkerSession startAndAwait(String tenant) throws Exception {
        int before = peers.heldSessions().size();
        start(tenant);
        awaitHeld(before + 1);
        return peers.heldSessions().get(before);
    }

    private void awaitHeld(int sessions) throws Exception {
        WorkerSandboxTest.await(() -> peers.heldSessions().size() >= sessions);
    }

    private void end(FakeWorkerPool.HeldWorkerSession session) throws Exception {
        int load = sandbox.status().sessions();
        peers.endSession(session);
        WorkerSandboxTest.await(() -> sandbox.status().sessions() < load);
    }

    @Test
    void sessionsOfATenantShareAWorkerWithNoOtherTenant() throws Exception {
        int first = startAndAwait("a").worker();
        assertThat(startAndAwait("a").worker()).isEqualTo(first);
        assertThat(startAndAwait("b").worker()).isNotEqualTo(first);
    }

    @Test
    void idleWorkerOfATenantIsNeverGivenToAnother() throws Exception {
        reopen(settings(0, 1, 10, 1_000, WorkerSharing.TENANT));
        FakeWorkerPool.HeldWorkerSession first = startAndAwait("a");
        end(first);
        FakeWorkerPool.HeldWorkerSession other = startAndAwait("b");
        assertThat(other.worker()).isNotEqualTo(first.worker());
        WorkerSandboxTest.await(() -> peers.peer(first.worker()).isKilled());
    }

    @Test
    void withoutSharingEachSessionHasItsOwnDisposableWorker() throws Exception {
        reopen(settings(1, 4, 10, 1_000, WorkerSharing.NONE));
        FakeWorkerPool.HeldWorkerSession one = startAndAwait("a");
        FakeWorkerPool.HeldWorkerSession two = startAndAwait("a");
        assertThat(two.worker()).isNotEqualTo(one.worker());
        end(one);
        WorkerSandboxTest.await(() -> peers.peer(one.worker()).isKilled());
        assertThat(startAndAwait("a").worker()).isNotIn(one.worker(), two.worker());
    }

    @Test
    void withoutSharingTheMaximumNumberOfWorkersHolds() throws Exception {
        reopen(settings(0, 2, 10, 1_000, WorkerSharing.NONE));
        for (int i = 0; i < 5; i++) {
            start("a");
        }
        awaitHeld(2);
        start("a");
        RecordingListener.start(sandbox, request("a").withOwnWorker());
        end(peers.heldSessions().get(0));
        awaitHeld(3);
        assertThat(peers.startedCount()).isEqualTo(3);
    }

    @Test
    void sessionThatNeedsItsOwnWorkerSharesItWithNoOther() throws Exception {
        FakeWorkerPool.HeldWorkerSession shared = startAndAwait("a");
        FakeWorkerPool.HeldWorkerSession alone = startAloneAndAwait("a");
        assertThat(alone.worker()).isNotEqualTo(shared.worker());
        assertThat(startAndAwait("a").worker()).isNotEqualTo(alone.worker());
        end(alone);
        WorkerSandboxTest.await(() -> peers.peer(alone.worker()).isKilled());
    }

    @Test
    void sessionThatNeedsItsOwnWorkerRetiresNoSharedWorker() throws Exception {
        reopen(settings(0, 1, 10, 1_000, WorkerSharing.TENANT));
        FakeWorkerPool.HeldWorkerSession shared = startAndAwait("a");
        FakeWorkerPool.HeldWorkerSession alone = startAloneAndAwait("a");
        assertThat(alone.worker()).isNotEqualTo(shared.worker());
        assertThat(startAndAwait("a").worker()).isEqualTo(shared.worker());
        end(alone);
        WorkerSandboxTest.await(() -> peers.peer(alone.worker()).isKilled());
        assertThat(startAndAwait("a").worker()).isEqualTo(shared.worker());
    }

    @Test
    void idleWorkerIsKeptForSessionsThatShareIt() throws Exception {
        reopen(settings(1, 2, 10, 1_000, WorkerSharing.TENANT));
        WorkerSandboxTest.await(() -> sandbox.status().idleWorkers() == 1);
        assertThat(startAloneAndAwait("a").worker()).isNotEqualTo(0);
        assertThat(startAndAwait("a").worker()).isZero();
    }

    /** The numbers of the sessions of a new pool begin at 1. */
    @Test
    void sessionsThatNeedTheirOwnWorkerUseHalfOfTheWorkersAndDelayNoOthers() throws Exception {
        reopen(settings(0, 4, 10, 1_000, WorkerSharing.TENANT));
        for (int i = 1; i <= 8; i++) {
            RecordingListener.start(sandbox, request("a").withOwnWorker());
        }
        start("a");
        start("b");
        WorkerSandboxTest.await(() -> isHeld(9) && isHeld(10) && heldUpTo(8).size() == 2);
        for (int ended = 0; ended < 8; ended++) {
            int present = ended;
            WorkerSandboxTest.await(() -> heldUpTo(8).size() > present);
            assertThat(heldUpTo(8)).hasSizeLessThanOrEqualTo(ended + 2);
            end(heldUpTo(8).get(ended));
        }
        assertThat(heldUpTo(8))
                .extracting(FakeWorkerPool.HeldWorkerSession::worker)
                .doesNotHaveDuplicates();
    }

    private boolean isHeld(long session) {
        return peers.heldSessions().stream().anyMatch(each -> each.session() == session);
    }

    private List<FakeWorkerPool.HeldWorkerSession> heldUpTo(long session) {
        return peers.heldSessions().stream()
                .filter(each -> each.session() <= session)
                .toList();
    }

    @Test
    void withOneWorkerSessionsOfBothKindsProgress() throws Exception {
        reopen(settings(0, 1, 10, 1_000, WorkerSharing.TENANT));
        startAndAwait("a");
        FakeWorkerPool.HeldWorkerSession first = startAloneAndAwait("a");
        RecordingListener second = RecordingListener.start(sandbox, request("a").withOwnWorker());
        // Retires the worker of the other tenant, whose session goes on.
        startAndAwait("b");
        end(first);
        awaitHeld(4);
        end(peers.heldSessions().get(3));
        assertThat(second.end()).isEqualTo(RETURNED);
    }

    @Test
    void workerOfASessionCancelledBeforeItsStartIsDiscarded() throws Exception {
        peers.holdStarts();
        RecordingListener alone = RecordingListener.start(sandbox, request("a").withOwnWorker());
        alone.session().cancel();
        assertThat(alone.end()).isEqualTo(new SessionResult.SessionCancelled());
        peers.allowStarts();
        WorkerSandboxTest.await(() -> {
            sandbox.inspectWorkers(System.nanoTime());
            // The first worker shows that workers can start.
            return peers.startedCount() == 2 && peers.peer(1).isKilled();
        });
        assertThat(peers.heldSessions()).isEmpty();
    }

    @Test
    void workerSharedByAllServesEveryTenant() throws Exception {
        reopen(settings(0, 2, 10, 1_000, WorkerSharing.ALL));
        assertThat(startAndAwait("a").worker()).isEqualTo(startAndAwait("b").worker());
    }

    @Test
    void workerAtItsSessionLimitIsReplacedAfterItsLastSession() throws Exception {
        reopen(settings(0, 1, 10, 3, WorkerSharing.TENANT));
        FakeWorkerPool.HeldWorkerSession waiting = startAndAwait("a");
        end(startAndAwait("a"));
        end(startAndAwait("a"));
        FakeWorkerPool.HeldWorkerSession next = startAndAwait("a");
        assertThat(next.worker()).isNotEqualTo(waiting.worker());
        assertThat(peers.peer(waiting.worker()).isKilled()).isFalse();
        end(waiting);
        WorkerSandboxTest.await(() -> peers.peer(waiting.worker()).isKilled());
    }

    @Test
    void oldWorkerIsReplaced() throws Exception {
        FakeWorkerPool.HeldWorkerSession first = startAndAwait("a");
        sandbox.inspectWorkers(System.nanoTime() + TimeUnit.MINUTES.toNanos(2) - TimeUnit.SECONDS.toNanos(1));
        assertThat(startAndAwait("a").worker()).isNotEqualTo(first.worker());
    }

    @Test
    void damagedOrFullWorkerIsReplaced() throws Exception {
        FakeWorkerPool.HeldWorkerSession damaged = startAndAwait("a");
        peers.sendHeartbeat(damaged.worker(), 10, true);
        end(damaged);
        FakeWorkerPool.HeldWorkerSession full = startAndAwait("a");
        assertThat(full.worker()).isNotEqualTo(damaged.worker());
        peers.sendHeartbeat(full.worker(), 61, false);
        end(full);
        FakeWorkerPool.HeldWorkerSession well = startAndAwait("a");
        assertThat(well.worker()).isNotEqualTo(full.worker());
        peers.sendHeartbeat(well.worker(), 60, false);
        end(well);
        assertThat(startAndAwait("a").worker()).isEqualTo(well.worker());
    }

    @Test
    void sessionsQueueInOrderWhenAllWorkersAreFull() throws Exception {
        reopen(settings(0, 1, 2, 1_000, WorkerSharing.TENANT));
        FakeWorkerPool.HeldWorkerSession one = startAndAwait("a");
        startAndAwait("a");
        RecordingListener third = start("a");
        RecordingListener fourth = start("a");
        assertThat(peers.heldSessions()).hasSize(2);
        peers.endSession(one);
        awaitHeld(3);
        peers.endSession(peers.heldSessions().get(2));
        assertThat(third.end()).isEqualTo(RETURNED);
        assertThat(fourth.isEnded()).isFalse();
    }

    @Test
    void sessionCancelledWhileQueuedNeverStarts() throws Exception {
        reopen(settings(0, 1, 1, 1_000, WorkerSharing.TENANT));
        FakeWorkerPool.HeldWorkerSession first = startAndAwait("a");
        RecordingListener waiting = start("a");
        waiting.session().cancel();
        assertThat(waiting.end()).isEqualTo(new SessionResult.SessionCancelled());
        end(first);
        startAndAwait("a");
        assertThat(peers.heldSessions()).hasSize(2);
    }

    @Test
    void busyTenantDoesNotStarveAnother() throws Exception {
        reopen(settings(0, 2, 5, 1_000, WorkerSharing.TENANT));
        for (int i = 0; i < 10; i++) {
            startAndAwait("busy");
        }
        assertThat(peers.startedCount()).isEqualTo(2);
        assertThat(startAndAwait("other").worker()).isEqualTo(2);
        assertThat(sandbox.status().sessions()).isEqualTo(11);
        assertThat(peers.peer(0).isKilled() || peers.peer(1).isKilled()).isFalse();
    }

    @Test
    void sessionIsNeverAssignedToAWorkerBeingKilled() throws Exception {
        int before = peers.heldSessions().size();
        RecordingListener stuck = start("a");
        awaitHeld(before + 1);
        FakeWorkerPool.HeldWorkerSession held = peers.heldSessions().get(before);
        stuck.session().cancel();
        WorkerSandboxTest.await(() -> peers.peer(held.worker()).isStopRequested());
        assertThat(startAndAwait("a").worker()).isNotEqualTo(held.worker());
        assertThat(stuck.end()).isEqualTo(new SessionResult.SessionCancelled());
    }

    /** Waits until the pool has handled the frames that the worker of a session has sent. */
    private void awaitFramesOf(RecordingListener listener, FakeWorkerPool.HeldWorkerSession session) throws Exception {
        peers.print(session);
        WorkerSandboxTest.await(() -> !listener.output().isEmpty());
    }

    /** The workers do not obey the cancel at once, as on a busy machine. */
    @Test
    void workerOfACancelledSessionIsKilledLaterIfTheSessionOnlyWaits() throws Exception {
        RecordingListener waiting = start("a");
        RecordingListener neighbor = start("a");
        awaitHeld(2);
        RecordingListener computing = start("b");
        awaitHeld(3);
        FakeWorkerPool.HeldWorkerSession first = peers.heldSessions().get(0);
        FakeWorkerPool.HeldWorkerSession last = peers.heldSessions().get(2);
        peers.reportComputing(last.worker(), Long.toString(last.session()), "1");
        awaitFramesOf(computing, last);
        waiting.session().cancel();
        computing.session().cancel();
        WorkerSandboxTest.await(() -> peers.peer(last.worker()).isStopRequested());
        peers.endCancelledSession(first);
        assertThat(waiting.end()).isEqualTo(new SessionResult.SessionCancelled());
        assertThat(peers.peer(first.worker()).isStopRequested()).isFalse();
        assertThat(neighbor.isEnded()).isFalse();
    }

    @Test
    void neighborOfASessionWhoseCancelKilledTheWorkerIsInnocent() throws Exception {
        RecordingListener innocent = start("a");
        RecordingListener stuck = start("a");
        awaitHeld(2);
        stuck.session().cancel();
        assertThat(stuck.end()).isEqualTo(new SessionResult.SessionCancelled());
        assertThat(innocent.end()).isInstanceOfSatisfying(SessionResult.SessionLost.class, lost -> {
            assertThat(lost.reason()).isEqualTo(SessionResult.SessionLossReason.WORKER_LOST);
            assertThat(lost.suspect()).isFalse();
        });
    }

    @Test
    void sessionComputingAtTheDeathOfItsWorkerIsSuspect() throws Exception {
        FakeWorkerPool.HeldWorkerSession held = startAndAwait("a");
        RecordingListener just = start("a");
        awaitHeld(2);
        peers.peer(held.worker()).destroyForcibly();
        assertThat(just.end())
                .isInstanceOfSatisfying(
                        SessionResult.SessionLost.class,
                        lost -> assertThat(lost.suspect()).isTrue());
    }

    @Test
    void sessionThatAllocatedMostReachesTheMemoryLimit() throws Exception {
        RecordingListener modest = start("a");
        awaitHeld(1);
        RecordingListener greedy = start("a");
        awaitHeld(2);
        FakeWorkerPool.HeldWorkerSession first = peers.heldSessions().get(0);
        peers.reportComputing(
                first.worker(),
                first.session() + "," + peers.heldSessions().get(1).session(),
                "3,200");
        peers.peer(first.worker()).runOutOfMemory();
        // The pool may notice the death by a failing write first.
        modest.session().resolve(1, "1");
        assertThat(greedy.end())
                .isInstanceOfSatisfying(
                        SessionResult.SessionLimitReached.class,
                        reached -> assertThat(reached.limit()).isEqualTo(SessionResult.SessionLimitType.MEMORY));
        assertThat(modest.end())
                .isInstanceOfSatisfying(
                        SessionResult.SessionLost.class,
                        lost -> assertThat(lost.suspect()).isFalse());
    }

    /**
     * The greedy session allocated all its memory at once, after the last heartbeat of the worker, so both sessions are
     * suspect.
     */
    @Test
    void sessionWithLittleAllocatedMemoryIsOnlySuspect() throws Exception {
        RecordingListener modest = start("a");
        awaitHeld(1);
        RecordingListener greedy = start("a");
        awaitHeld(2);
        FakeWorkerPool.HeldWorkerSession first = peers.heldSessions().get(0);
        peers.reportComputing(
                first.worker(),
                first.session() + "," + peers.heldSessions().get(1).session(),
                "3,0");
        peers.peer(first.worker()).runOutOfMemory();
        for (RecordingListener each : List.of(modest, greedy)) {
            assertThat(each.end()).isInstanceOfSatisfying(SessionResult.SessionLost.class, lost -> {
                assertThat(lost.reason()).isEqualTo(SessionResult.SessionLossReason.OUT_OF_MEMORY);
                assertThat(lost.suspect()).isTrue();
            });
        }
    }

    /** The heap of the worker has 64 MB. */
    @Test
    void sessionThatAllocatedFarLessThanAnotherIsNotSuspect() throws Exception {
        List<RecordingListener> all = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            all.add(start("a"));
            awaitHeld(i);
        }
        FakeWorkerPool.HeldWorkerSession first = peers.heldSessions().get(0);
        String computing = peers.heldSessions().stream()
                .limit(3)
                .map(each -> Long.toString(each.session()))
                .collect(Collectors.joining(","));
        peers.reportComputing(first.worker(), computing, "40,6,4");
        awaitFramesOf(all.get(0), first);
        // After the heartbeat, so that it may compute now.
        all.get(3).session().resolve(1, "1");
        peers.peer(first.worker()).runOutOfMemory();
        for (int i = 0; i < 4; i++) {
            boolean expected = i < 2;
            assertThat(all.get(i).end()).isInstanceOfSatisfying(SessionResult.SessionLost.class, lost -> {
                assertThat(lost.reason()).isEqualTo(SessionResult.SessionLossReason.OUT_OF_MEMORY);
                assertThat(lost.suspect()).isEqualTo(expected);
            });
        }
    }

    @Test
    void allComputingSessionsAreSuspectForUnattributedMemory() throws Exception {
        RecordingListener one = start("a");
        RecordingListener other = start("a");
        awaitHeld(2);
        peers.peer(peers.heldSessions().get(0).worker()).runOutOfMemory();
        for (RecordingListener each : List.of(one, other)) {
            assertThat(each.end()).isInstanceOfSatisfying(SessionResult.SessionLost.class, lost -> {
                assertThat(lost.reason()).isEqualTo(SessionResult.SessionLossReason.OUT_OF_MEMORY);
                assertThat(lost.suspect()).isTrue();
            });
        }
    }

    @Test
    void newSessionsAvoidAWorkerThatComputes() throws Exception {
        FakeWorkerPool.HeldWorkerSession computing = startAndAwait("a");
        peers.reportComputing(computing.worker(), Long.toString(computing.session()), "1");
        while (startAndAwait("a").worker() == computing.worker()) {
            // The pool is starting the other worker, and uses it at the latest when this worker is full.
        }
        int other = 1 - computing.worker();
        for (int i = 0; i < 3; i++) {
            assertThat(startAndAwait("a").worker()).isEqualTo(other);
        }
    }

    @Test
    void poolWithoutIdleWorkersIsAvailableWhenAWorkerCouldStart() throws Exception {
        WorkerSandboxTest.await(() -> sandbox.status().available());
        assertThat(peers.startedCount()).isEqualTo(1);
        // The worker ends, and no other takes its place.
        peers.peer(0).destroyForcibly();
        WorkerSandboxTest.await(() -> sandbox.status().workers() == 0);
        sandbox.inspectWorkers(System.nanoTime());
        assertThat(sandbox.status().available()).isTrue();
        assertThat(peers.startedCount()).isEqualTo(1);

        peers.failStarts(true);
        assertThat(start("a").end()).isInstanceOf(SessionResult.SessionLost.class);
        assertThat(sandbox.status().available()).isFalse();
    }

    @Tag("slow")
    @Test
    void poolBecomesAvailableAgainWhenAWorkerCanStart() throws Exception {
        peers.failStarts(true);
        reopen(settings(0, 2, 10, 1_000, WorkerSharing.TENANT));
        assertThat(start("a").end()).isInstanceOf(SessionResult.SessionLost.class);
        assertThat(sandbox.status().available()).isFalse();
        peers.failStarts(false);
        WorkerSandboxTest.await(() -> {
            sandbox.inspectWorkers(System.nanoTime());
            return sandbox.status().available();
        });
    }

    @Test
    void poolWhoseIdleWorkersAreGoneIsUnavailable() throws Exception {
        reopen(settings(1, 2, 10, 1_000, WorkerSharing.TENANT));
        WorkerSandboxTest.await(() -> sandbox.status().available());
        peers.failStarts(true);
        peers.peer(0).destroyForcibly();
        WorkerSandboxTest.await(() -> !sandbox.status().available());
    }

    @Test
    void sessionsFailWhenNoWorkerCanStart() throws Exception {
        peers.failStarts(true);
        reopen(settings(0, 2, 10, 1_000, WorkerSharing.TENANT));
        assertThat(start("a").end())
                .isInstanceOfSatisfying(
                        SessionResult.SessionLost.class,
                        lost -> assertThat(lost.reason()).isEqualTo(SessionResult.SessionLossReason.UNAVAILABLE));
    }

    @Test
    void existingWorkersServeWhileNoWorkerCanStart() throws Exception {
        int there = startAndAwait("a").worker();
        peers.failStarts(true);
        assertThat(start("b").end()).isInstanceOf(SessionResult.SessionLost.class);
        assertThat(startAndAwait("a").worker()).isEqualTo(there);
    }
}
