package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.node.DuplicateNodeIdException;
import org.sallyport.node.LeaseAcquisition;
import org.sallyport.node.LeaseRenewal;
import org.sallyport.node.NodeIdentity;
import org.sallyport.node.NodeLease;
import org.sallyport.node.NodeStore;
import org.sallyport.runner.LeaseManager.LeaseState;

class LeaseManagerTest {
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final NodeIdentity NODE = new NodeIdentity("n", "n.life", "host:/data");

    private final FakeNodeStore leases = new FakeNodeStore();
    private final RecordingLeaseListener work = new RecordingLeaseListener();
    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(12).toNanos();
    private final LeaseManager keeper = new LeaseManager(leases, NODE, LEASE, () -> nanos, work);

    /** A store that can be unavailable or slow, or in which another node holds the lease, or the lease has expired. */
    private final class FakeNodeStore implements NodeStore {
        private boolean away;
        private boolean taken;
        /** The last term whose lease has expired. */
        private int expiredTerm;

        private long slowSeconds;
        private final List<String> holders = new ArrayList<>();

        @Override
        public LeaseAcquisition acquireLease(NodeIdentity node, String holder, Duration time) {
            if (taken) {
                Instant until = Instant.parse("2030-01-01T00:00:00Z");
                return new LeaseAcquisition.LeaseHeldElsewhere(
                        new NodeLease("n", "n.other", "elsewhere:/data", until.minus(time), until, false));
            }
            holders.add(holder);
            return new LeaseAcquisition.LeaseAcquired(7);
        }

        @Override
        public LeaseRenewal renewLease(NodeIdentity node, int term, Duration time) {
            pass(slowSeconds);
            if (away) {
                throw new StoreUnavailableException("away", new IllegalStateException());
            }
            holders.add(node.leaseOwner(term));
            if (taken) {
                return LeaseRenewal.TAKEN;
            }
            return term <= expiredTerm ? LeaseRenewal.EXPIRED : LeaseRenewal.RENEWED;
        }

        @Override
        public void releaseLease(NodeIdentity node) {
            holders.add("left");
        }

        @Override
        public List<NodeLease> list() {
            return List.of();
        }
    }

    private static final class RecordingLeaseListener implements LeaseManager.LeaseListener {
        private final List<String> calls = new ArrayList<>();
        private int uncleanStarts;

        @Override
        public void onAcquired(int uncleanStarts, String holder) {
            this.uncleanStarts = uncleanStarts;
            startAccepting(holder);
        }

        @Override
        public void stop() {
            calls.add("stop");
        }

        @Override
        public void startAccepting(String holder) {
            calls.add(holder);
        }
    }

    private void pass(long seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
    }

    @Test
    void workStartsWhenTheLeaseIsAcquired() {
        assertThat(keeper.state()).isEqualTo(LeaseState.OUT);
        keeper.acquire();
        assertThat(keeper.state()).isEqualTo(LeaseState.HELD);
        assertThat(work.calls).containsExactly("n.life.1");
        assertThat(work.uncleanStarts).isEqualTo(7);
        assertThat(leases.holders).containsExactly("n.life.1");
    }

    @Test
    void nodeWithADuplicateIdFailsAndDoesNoWork() {
        leases.taken = true;
        assertThatThrownBy(keeper::acquire)
                .isInstanceOf(DuplicateNodeIdException.class)
                .hasMessageContaining("elsewhere:/data")
                .hasMessageContaining("host:/data")
                .hasMessageContaining("sallyport.node.id");
        keeper.renew();
        keeper.checkExpiry();
        keeper.release();
        assertThat(work.calls).isEmpty();
        assertThat(leases.holders).isEmpty();
    }

    @Test
    void renewedLeaseKeepsWorkRunning() {
        keeper.acquire();
        for (int i = 0; i < 20; i++) {
            pass(9);
            keeper.checkExpiry();
            keeper.renew();
        }
        assertThat(work.calls).containsExactly("n.life.1");
        assertThat(leases.holders).hasSize(21).containsOnly("n.life.1");
    }

    @Test
    void workStopsBeforeTheLeaseExpires() {
        keeper.acquire();
        leases.away = true;
        keeper.renew();
        pass(9);
        keeper.checkExpiry();
        assertThat(keeper.state()).isEqualTo(LeaseState.HELD);
        pass(1);
        keeper.checkExpiry();
        keeper.checkExpiry();
        assertThat(keeper.state()).isEqualTo(LeaseState.LAPSED);
        assertThat(work.calls).containsExactly("n.life.1", "stop");
    }

    @Test
    void leaseTimeCountsFromTheStartOfTheRenewal() {
        keeper.acquire();
        pass(1);
        leases.slowSeconds = 8;
        keeper.renew();
        leases.away = true;
        pass(1);
        keeper.checkExpiry();
        assertThat(keeper.state()).isEqualTo(LeaseState.HELD);
        pass(1);
        keeper.checkExpiry();
        assertThat(keeper.state()).isEqualTo(LeaseState.LAPSED);
    }

    @Test
    void nodeThatRenewsAfterALapseUsesANewLeaseOwner() {
        keeper.acquire();
        pass(10);
        keeper.checkExpiry();
        leases.away = true;
        keeper.renew();
        assertThat(work.calls).containsExactly("n.life.1", "stop");
        leases.away = false;
        keeper.renew();
        assertThat(keeper.state()).isEqualTo(LeaseState.HELD);
        assertThat(work.calls).containsExactly("n.life.1", "stop", "n.life.2");
        assertThat(leases.holders).containsExactly("n.life.1", "n.life.2");
    }

    @Test
    void lateRenewalAnswerDoesNotRenewTheLease() {
        keeper.acquire();
        leases.slowSeconds = 10;
        keeper.renew();
        keeper.checkExpiry();
        assertThat(keeper.state()).isEqualTo(LeaseState.LAPSED);
        keeper.renew();
        assertThat(keeper.state()).isEqualTo(LeaseState.LAPSED);
        leases.slowSeconds = 0;
        keeper.renew();
        assertThat(keeper.state()).isEqualTo(LeaseState.HELD);
        assertThat(work.calls).containsExactly("n.life.1", "stop", "n.life.2");
    }

    @Test
    void expiredLeaseIsNotRevived() {
        keeper.acquire();
        leases.expiredTerm = 1;
        keeper.renew();
        assertThat(keeper.state()).isEqualTo(LeaseState.LAPSED);
        assertThat(work.calls).containsExactly("n.life.1", "stop");
        keeper.renew();
        assertThat(keeper.state()).isEqualTo(LeaseState.HELD);
        assertThat(work.calls).containsExactly("n.life.1", "stop", "n.life.2");
        assertThat(leases.holders).containsExactly("n.life.1", "n.life.1", "n.life.2");
    }

    @Test
    void leaseThatExpiredDuringALapseIsFollowedByAnotherTerm() {
        keeper.acquire();
        pass(10);
        leases.expiredTerm = 2;
        keeper.renew();
        assertThat(keeper.state()).isEqualTo(LeaseState.LAPSED);
        keeper.renew();
        assertThat(work.calls).containsExactly("n.life.1", "stop", "n.life.3");
    }

    @Test
    void leaseIsInvalidFromTheMomentAtWhichWorkMustStop() {
        assertThat(keeper.isValid()).isFalse();
        keeper.acquire();
        pass(9);
        assertThat(keeper.isValid()).isTrue();
        pass(1);
        assertThat(keeper.isValid()).isFalse();
        assertThat(keeper.state()).isEqualTo(LeaseState.HELD);
        keeper.renew();
        assertThat(keeper.isValid()).isTrue();
        leases.taken = true;
        keeper.renew();
        assertThat(keeper.isValid()).isFalse();
    }

    @Test
    void remainingTimeOfATermEndsForGood() {
        assertThat(keeper.term()).isZero();
        assertThat(keeper.remaining(0)).isZero();
        keeper.acquire();
        pass(9);
        assertThat(keeper.term()).isEqualTo(1);
        assertThat(keeper.remaining(1)).isEqualTo(Duration.ofSeconds(6));
        pass(1);
        assertThat(keeper.term()).isZero();
        assertThat(keeper.remaining(1)).isZero();
        keeper.renew();
        assertThat(keeper.term()).isEqualTo(2);
        assertThat(keeper.remaining(2)).isEqualTo(LEASE);
        assertThat(keeper.remaining(1)).isZero();
        assertThat(keeper.remaining(0)).isZero();
    }

    @Test
    void leaseThatEndsDuringItsRenewalIsFollowedByAnotherTerm() {
        keeper.acquire();
        pass(5);
        leases.slowSeconds = 6;
        keeper.renew();
        assertThat(keeper.state()).isEqualTo(LeaseState.LAPSED);
        leases.slowSeconds = 0;
        keeper.renew();
        assertThat(work.calls).containsExactly("n.life.1", "stop", "n.life.2");
    }

    @Test
    void pausedProcessStopsItsWorkBeforeItRenews() {
        keeper.acquire();
        pass(3_600);
        keeper.renew();
        assertThat(work.calls).containsExactly("n.life.1", "stop", "n.life.2");
    }

    @Test
    void nodeThatLostItsLeaseToAnotherIncarnationStopsForGood() {
        keeper.acquire();
        leases.taken = true;
        keeper.renew();
        assertThat(keeper.state()).isEqualTo(LeaseState.LOST);
        leases.taken = false;
        keeper.renew();
        pass(60);
        keeper.checkExpiry();
        keeper.release();
        assertThat(keeper.state()).isEqualTo(LeaseState.LOST);
        assertThat(work.calls).containsExactly("n.life.1", "stop");
        assertThat(leases.holders).containsExactly("n.life.1", "n.life.1");
    }

    @Test
    void releasedLeaseIsNotRenewed() {
        keeper.acquire();
        keeper.release();
        keeper.renew();
        assertThat(leases.holders).containsExactly("n.life.1", "left");
        assertThat(keeper.state()).isEqualTo(LeaseState.OUT);
    }
}
