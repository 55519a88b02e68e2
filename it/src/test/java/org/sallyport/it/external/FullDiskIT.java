package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Pace;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.SmallDisk;
import org.sallyport.it.harness.Traffic;
import org.sallyport.testsupport.Prerequisite;

/** The disk of the database or of the broker is full: what cannot be kept is refused, and all goes on when there is room again. */
@Tag("slow")
@ExtendWith(Servers.class)
class FullDiskIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration PROMPT = Duration.ofSeconds(5);
    private static final int SOME = 15;

    @BeforeAll
    static void possible() {
        Prerequisite.require(SmallDisk.possible(), "the right to mount a disk in a mount namespace (unshare --mount)");
    }

    @Test
    void whatTheDatabaseHasNoRoomForIsRefusedAndNothingIsLost() {
        SmallDisk disk = new SmallDisk(128);
        String url = "jdbc:h2:file:" + disk.directory().resolve("sallyport") + ";WRITE_DELAY=0";
        try (SallyportServer server = disk.usedBy(ServerSetup.fresh("full-database"))
                .with("sallyport.db.url", url)
                .with("sallyport.limits.call-millis", "5000")
                .with("sallyport.execution.max-attempts", "100")
                .start()) {
            Traffic traffic = Traffic.begin(server::api);
            try (traffic) {
                traffic.awaitAccepted(SOME, PATIENCE);
                // Less is left than new executions are taken for, and enough for those that run.
                disk.fill(server, 32 << 20);
                Await.until("submissions are refused", PATIENCE, () -> traffic.answers(503) >= SOME);
                assertThat(server.api().get("/health/ready").status()).isEqualTo(503);
                traffic.awaitAllEnded();
                disk.fill(server, 0);
                int before = traffic.answers(503);
                Await.until("submissions are still refused", PATIENCE, () -> traffic.answers(503) >= before + SOME);
                disk.empty(server);
                traffic.awaitAccepted(SOME, PATIENCE);
            }
            server.awaitReady();
            assertThat(traffic.faults()).isEmpty();
            assertThat(server.isAlive()).isTrue();
        }
    }

    @Test
    void whatTheBrokerHasNoRoomForIsAcceptedAndRunsLater() {
        // The broker sends nothing while less than 256 MB are free.
        SmallDisk disk = new SmallDisk(320);
        try (SallyportServer server = disk.usedBy(ServerSetup.fresh("full-broker"))
                .with("sallyport.broker.data", disk.directory().toString())
                .with("sallyport.limits.call-millis", "5000")
                .start()) {
            Pace pace = Pace.of(server.api());
            Traffic traffic = Traffic.begin(server::api);
            try (traffic) {
                traffic.awaitAccepted(SOME, PATIENCE);
                disk.fill(server, 0);
                // Longer than the broker takes to see it.
                Await.until("the disk is full for a while", PATIENCE, new Elapsed(Duration.ofSeconds(10))::isOver);
                traffic.awaitAccepted(SOME, PATIENCE);
                disk.empty(server);
                traffic.awaitAccepted(SOME, PATIENCE);
            }
            server.awaitReady();
            assertThat(traffic.faults()).isEmpty();
            assertThat(traffic.slowest()).isLessThan(pace.within(PROMPT));
        }
    }

    /** A time that passes. */
    private record Elapsed(long end) {
        Elapsed(Duration time) {
            this(System.nanoTime() + time.toNanos());
        }

        boolean isOver() {
            return System.nanoTime() - end > 0;
        }
    }
}
