package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.SandboxContract;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.Toolbox;

/** Which session gets which worker, and when workers are replaced. */
class PlacementTest {
    private static final SessionEnd RETURNED = new SessionEnd.Returned("1");

    private final PooledPeers peers = new PooledPeers();
    private WorkerSandbox sandbox = peers.open(settings(0, 2, 10, 1_000, Share.TENANT));

    private static WorkerSettings settings(int warm, int workers, int perWorker, int recycleAfter, Share share) {
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

    private RecordingListener start(String tenant) {
        Script script = new Script("x", Language.JAVASCRIPT);
        return RecordingListener.start(
                sandbox, new SessionRequest("s", tenant, script, "{}", "{}", SandboxContract.LIMITS, Toolbox.EMPTY));
    }

    /** Starts a session and waits until a worker has it. */
    private PooledPeers.Held begun(String tenant) throws Exception {
        int before = peers.held().size();
        start(tenant);
        awaitHeld(before + 1);
        return peers.held().get(before);
    }

    private void awaitHeld(int sessions) throws Exception {
        WorkerSandboxTest.await(() -> peers.held().size() >= sessions);
    }

    private void end(PooledPeers.Held session) throws Exception {
        int load = sandbox.status().sessions();
        peers.end(session);
        WorkerSandboxTest.await(() -> sandbox.status().sessions() < load);
    }

    @Test
    void aTenantsSessionsShareAWorkerThatNoOtherTenantGets() throws Exception {
        int first = begun("a").worker();
        assertThat(begun("a").worker()).isEqualTo(first);
        assertThat(begun("b").worker()).isNotEqualTo(first);
    }

    @Test
    void aWorkerOfATenantIsNeverGivenToAnotherEvenWhenIdle() throws Exception {
        reopen(settings(0, 1, 10, 1_000, Share.TENANT));
        PooledPeers.Held first = begun("a");
        end(first);
        PooledPeers.Held other = begun("b");
        assertThat(other.worker()).isNotEqualTo(first.worker());
        WorkerSandboxTest.await(() -> peers.peer(first.worker()).isKilled());
    }

    @Test
    void withoutSharingEverySessionHasItsOwnWorkerWhichIsThrownAway() throws Exception {
        reopen(settings(1, 4, 10, 1_000, Share.NONE));
        PooledPeers.Held one = begun("a");
        PooledPeers.Held two = begun("a");
        assertThat(two.worker()).isNotEqualTo(one.worker());
        end(one);
        WorkerSandboxTest.await(() -> peers.peer(one.worker()).isKilled());
        assertThat(begun("a").worker()).isNotIn(one.worker(), two.worker());
    }

    @Test
    void sharedByAllOneWorkerServesEveryTenant() throws Exception {
        reopen(settings(0, 2, 10, 1_000, Share.ALL));
        assertThat(begun("a").worker()).isEqualTo(begun("b").worker());
    }

    @Test
    void aWorkerThatServedItsNumberIsReplacedAndWhatItStillHoldsEndsInIt() throws Exception {
        reopen(settings(0, 1, 10, 3, Share.TENANT));
        PooledPeers.Held waiting = begun("a");
        end(begun("a"));
        end(begun("a"));
        PooledPeers.Held next = begun("a");
        assertThat(next.worker()).isNotEqualTo(waiting.worker());
        assertThat(peers.peer(waiting.worker()).isKilled()).isFalse();
        end(waiting);
        WorkerSandboxTest.await(() -> peers.peer(waiting.worker()).isKilled());
    }

    @Test
    void anOldWorkerIsReplaced() throws Exception {
        PooledPeers.Held first = begun("a");
        sandbox.inspect(System.nanoTime() + TimeUnit.MINUTES.toNanos(2) - TimeUnit.SECONDS.toNanos(1));
        assertThat(begun("a").worker()).isNotEqualTo(first.worker());
    }

    @Test
    void aWorkerThatIsDamagedOrFullIsReplaced() throws Exception {
        PooledPeers.Held damaged = begun("a");
        peers.beat(damaged.worker(), 10, true);
        end(damaged);
        PooledPeers.Held full = begun("a");
        assertThat(full.worker()).isNotEqualTo(damaged.worker());
        peers.beat(full.worker(), 61, false);
        end(full);
        PooledPeers.Held well = begun("a");
        assertThat(well.worker()).isNotEqualTo(full.worker());
        peers.beat(well.worker(), 60, false);
        end(well);
        assertThat(begun("a").worker()).isEqualTo(well.worker());
    }

    @Test
    void whenAllWorkersAreFullSessionsWaitInOrder() throws Exception {
        reopen(settings(0, 1, 2, 1_000, Share.TENANT));
        PooledPeers.Held one = begun("a");
        begun("a");
        RecordingListener third = start("a");
        RecordingListener fourth = start("a");
        assertThat(peers.held()).hasSize(2);
        peers.end(one);
        awaitHeld(3);
        peers.end(peers.held().get(2));
        assertThat(third.end()).isEqualTo(RETURNED);
        assertThat(fourth.isEnded()).isFalse();
    }

    @Test
    void aSessionThatIsCancelledWhileItWaitsNeverBegins() throws Exception {
        reopen(settings(0, 1, 1, 1_000, Share.TENANT));
        PooledPeers.Held first = begun("a");
        RecordingListener waiting = start("a");
        waiting.session().cancel();
        assertThat(waiting.end()).isEqualTo(new SessionEnd.Cancelled());
        end(first);
        begun("a");
        assertThat(peers.held()).hasSize(2);
    }

    @Test
    void aTenantThatIsNeverIdleDoesNotKeepAnotherOut() throws Exception {
        reopen(settings(0, 2, 5, 1_000, Share.TENANT));
        for (int i = 0; i < 10; i++) {
            begun("busy");
        }
        assertThat(peers.started()).isEqualTo(2);
        assertThat(begun("other").worker()).isEqualTo(2);
        assertThat(sandbox.status().sessions()).isEqualTo(11);
        assertThat(peers.peer(0).isKilled() || peers.peer(1).isKilled()).isFalse();
    }

    @Test
    void noSessionIsGivenToAWorkerThatIsBeingKilled() throws Exception {
        int before = peers.held().size();
        RecordingListener stuck = start("a");
        awaitHeld(before + 1);
        PooledPeers.Held held = peers.held().get(before);
        stuck.session().cancel();
        WorkerSandboxTest.await(() -> peers.peer(held.worker()).isAsked());
        assertThat(begun("a").worker()).isNotEqualTo(held.worker());
        assertThat(stuck.end()).isEqualTo(new SessionEnd.Cancelled());
    }

    @Test
    void whoeverWaitedBesideTheOneThatWasKilledForIsInnocent() throws Exception {
        RecordingListener innocent = start("a");
        RecordingListener stuck = start("a");
        awaitHeld(2);
        stuck.session().cancel();
        assertThat(stuck.end()).isEqualTo(new SessionEnd.Cancelled());
        assertThat(innocent.end()).isInstanceOfSatisfying(SessionEnd.Lost.class, lost -> {
            assertThat(lost.reason()).isEqualTo(SessionEnd.Reason.WORKER_LOST);
            assertThat(lost.suspect()).isFalse();
        });
    }

    @Test
    void whoComputedWhenItsWorkerDiedIsSuspect() throws Exception {
        PooledPeers.Held held = begun("a");
        RecordingListener just = start("a");
        awaitHeld(2);
        peers.peer(held.worker()).destroyForcibly();
        assertThat(just.end())
                .isInstanceOfSatisfying(
                        SessionEnd.Lost.class,
                        lost -> assertThat(lost.suspect()).isTrue());
    }

    @Test
    void whoAllocatedMostIsWhyAWorkersMemoryWasUsedUp() throws Exception {
        RecordingListener modest = start("a");
        awaitHeld(1);
        RecordingListener greedy = start("a");
        awaitHeld(2);
        PooledPeers.Held first = peers.held().get(0);
        peers.compute(
                first.worker(), first.session() + "," + peers.held().get(1).session(), "3,200");
        peers.peer(first.worker()).runOutOfMemory();
        assertThat(greedy.end())
                .isInstanceOfSatisfying(
                        SessionEnd.LimitReached.class,
                        reached -> assertThat(reached.limit()).isEqualTo(SessionEnd.Limit.MEMORY));
        assertThat(modest.end())
                .isInstanceOfSatisfying(
                        SessionEnd.Lost.class,
                        lost -> assertThat(lost.suspect()).isFalse());
    }

    /** The greedy one asked for it all at once, after the worker told last. */
    @Test
    void nobodyIsBlamedForTheLittleMemoryThatHeAskedFor() throws Exception {
        RecordingListener modest = start("a");
        awaitHeld(1);
        RecordingListener greedy = start("a");
        awaitHeld(2);
        PooledPeers.Held first = peers.held().get(0);
        peers.compute(
                first.worker(), first.session() + "," + peers.held().get(1).session(), "3,0");
        peers.peer(first.worker()).runOutOfMemory();
        for (RecordingListener each : List.of(modest, greedy)) {
            assertThat(each.end()).isInstanceOfSatisfying(SessionEnd.Lost.class, lost -> {
                assertThat(lost.reason()).isEqualTo(SessionEnd.Reason.OUT_OF_MEMORY);
                assertThat(lost.suspect()).isTrue();
            });
        }
    }

    @Test
    void whenNobodyKnowsWhoUsedUpTheMemoryAllThatComputedAreSuspect() throws Exception {
        RecordingListener one = start("a");
        RecordingListener other = start("a");
        awaitHeld(2);
        peers.peer(peers.held().get(0).worker()).runOutOfMemory();
        for (RecordingListener each : List.of(one, other)) {
            assertThat(each.end()).isInstanceOfSatisfying(SessionEnd.Lost.class, lost -> {
                assertThat(lost.reason()).isEqualTo(SessionEnd.Reason.OUT_OF_MEMORY);
                assertThat(lost.suspect()).isTrue();
            });
        }
    }

    @Test
    void besideScriptsThatComputeAnotherWorkerOfTheTenantIsTaken() throws Exception {
        PooledPeers.Held computing = begun("a");
        peers.compute(computing.worker(), Long.toString(computing.session()), "1");
        while (begun("a").worker() == computing.worker()) {
            // The other one is on its way, and comes at the latest when this one has no place left.
        }
        int other = 1 - computing.worker();
        for (int i = 0; i < 3; i++) {
            assertThat(begun("a").worker()).isEqualTo(other);
        }
    }

    @Test
    void whenNoWorkerCanBeStartedSessionsAreToldSo() throws Exception {
        peers.fail();
        assertThat(start("a").end())
                .isInstanceOfSatisfying(
                        SessionEnd.Lost.class,
                        lost -> assertThat(lost.reason()).isEqualTo(SessionEnd.Reason.UNAVAILABLE));
    }

    @Test
    void whileNoWorkerCanBeStartedThoseThereAreServe() throws Exception {
        int there = begun("a").worker();
        peers.fail();
        assertThat(start("b").end()).isInstanceOf(SessionEnd.Lost.class);
        assertThat(begun("a").worker()).isEqualTo(there);
    }
}
