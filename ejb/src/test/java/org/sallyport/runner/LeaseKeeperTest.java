package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.node.Joining;
import org.sallyport.node.NodeIdentity;
import org.sallyport.node.NodeLease;
import org.sallyport.node.NodeStore;
import org.sallyport.node.NodeTakenException;
import org.sallyport.runner.LeaseKeeper.Standing;

class LeaseKeeperTest {
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final NodeIdentity NODE = new NodeIdentity("n", "n.life", "host:/data");

    private final Leases leases = new Leases();
    private final Work work = new Work();
    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(12).toNanos();
    private final LeaseKeeper keeper = new LeaseKeeper(leases, NODE, LEASE, () -> nanos, work);

    /** A store that may be away, slow, or another's. */
    private final class Leases implements NodeStore {
        private boolean away;
        private boolean taken;
        private long slowSeconds;
        private final List<String> holders = new ArrayList<>();

        @Override
        public Joining join(NodeIdentity node, String holder, Duration time) {
            if (taken) {
                Instant until = Instant.parse("2030-01-01T00:00:00Z");
                return new Joining.Refused(
                        new NodeLease("n", "n.other", "elsewhere:/data", until.minus(time), until, false));
            }
            holders.add(holder);
            return new Joining.Joined();
        }

        @Override
        public boolean renew(NodeIdentity node, String holder, Duration time) {
            pass(slowSeconds);
            if (away) {
                throw new StoreUnavailableException("away", new IllegalStateException());
            }
            holders.add(holder);
            return !taken;
        }

        @Override
        public void leave(NodeIdentity node) {
            holders.add("left");
        }

        @Override
        public List<NodeLease> list() {
            return List.of();
        }
    }

    private static final class Work implements LeaseKeeper.Work {
        private final List<String> told = new ArrayList<>();

        @Override
        public void stop() {
            told.add("stop");
        }

        @Override
        public void resume(String holder) {
            told.add(holder);
        }
    }

    private void pass(long seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
    }

    @Test
    void workBeginsWithTheLease() {
        assertThat(keeper.standing()).isEqualTo(Standing.OUT);
        keeper.join();
        assertThat(keeper.standing()).isEqualTo(Standing.HELD);
        assertThat(work.told).containsExactly("n.life.1");
        assertThat(leases.holders).containsExactly("n.life.1");
    }

    @Test
    void aNodeWhoseIdIsTakenIsToldByWhomAndDoesNothing() {
        leases.taken = true;
        assertThatThrownBy(keeper::join)
                .isInstanceOf(NodeTakenException.class)
                .hasMessageContaining("elsewhere:/data")
                .hasMessageContaining("host:/data")
                .hasMessageContaining("sallyport.node.id");
        keeper.renew();
        keeper.watch();
        keeper.leave();
        assertThat(work.told).isEmpty();
        assertThat(leases.holders).isEmpty();
    }

    @Test
    void renewingKeepsWorkGoingForEver() {
        keeper.join();
        for (int i = 0; i < 20; i++) {
            pass(9);
            keeper.watch();
            keeper.renew();
        }
        assertThat(work.told).containsExactly("n.life.1");
        assertThat(leases.holders).hasSize(21).containsOnly("n.life.1");
    }

    @Test
    void whatRunsIsStoppedBeforeTheLeaseEnds() {
        keeper.join();
        leases.away = true;
        keeper.renew();
        pass(9);
        keeper.watch();
        assertThat(keeper.standing()).isEqualTo(Standing.HELD);
        pass(1);
        keeper.watch();
        keeper.watch();
        assertThat(keeper.standing()).isEqualTo(Standing.LAPSED);
        assertThat(work.told).containsExactly("n.life.1", "stop");
    }

    @Test
    void theTimeCountsFromBeforeTheRenewalWasSent() {
        keeper.join();
        pass(1);
        leases.slowSeconds = 8;
        keeper.renew();
        leases.away = true;
        pass(1);
        keeper.watch();
        assertThat(keeper.standing()).isEqualTo(Standing.HELD);
        pass(1);
        keeper.watch();
        assertThat(keeper.standing()).isEqualTo(Standing.LAPSED);
    }

    @Test
    void aNodeThatRenewsAgainWorksInANewName() {
        keeper.join();
        pass(10);
        keeper.watch();
        leases.away = true;
        keeper.renew();
        assertThat(work.told).containsExactly("n.life.1", "stop");
        leases.away = false;
        keeper.renew();
        assertThat(keeper.standing()).isEqualTo(Standing.HELD);
        assertThat(work.told).containsExactly("n.life.1", "stop", "n.life.2");
        assertThat(leases.holders).containsExactly("n.life.1", "n.life.2");
    }

    @Test
    void anAnswerThatComesTooLateRenewsNothing() {
        keeper.join();
        leases.slowSeconds = 10;
        keeper.renew();
        keeper.watch();
        assertThat(keeper.standing()).isEqualTo(Standing.LAPSED);
        keeper.renew();
        assertThat(keeper.standing()).isEqualTo(Standing.LAPSED);
        leases.slowSeconds = 0;
        keeper.renew();
        assertThat(keeper.standing()).isEqualTo(Standing.HELD);
        assertThat(work.told).containsExactly("n.life.1", "stop", "n.life.2");
    }

    @Test
    void aProcessThatStoodStillPastItsLeaseStopsItsWorkBeforeItRenews() {
        keeper.join();
        pass(3_600);
        keeper.renew();
        assertThat(work.told).containsExactly("n.life.1", "stop", "n.life.2");
    }

    @Test
    void aNodeWhoseLeaseAnotherLifeTookStopsForGood() {
        keeper.join();
        leases.taken = true;
        keeper.renew();
        assertThat(keeper.standing()).isEqualTo(Standing.LOST);
        leases.taken = false;
        keeper.renew();
        pass(60);
        keeper.watch();
        keeper.leave();
        assertThat(keeper.standing()).isEqualTo(Standing.LOST);
        assertThat(work.told).containsExactly("n.life.1", "stop");
        assertThat(leases.holders).containsExactly("n.life.1", "n.life.1");
    }

    @Test
    void whoLeavesRenewsNoMore() {
        keeper.join();
        keeper.leave();
        keeper.renew();
        assertThat(leases.holders).containsExactly("n.life.1", "left");
        assertThat(keeper.standing()).isEqualTo(Standing.OUT);
    }
}
