package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SmallDisk;
import org.sallyport.it.harness.SubmissionLoad;
import org.sallyport.it.harness.TimingCalibration;
import org.sallyport.testsupport.TestPrerequisite;

/**
 * The disk of the database or of the broker is full: the service refuses work that it cannot store, and recovers when
 * space is free again.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
class FullDiskIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final Duration MAX_LATENCY = Duration.ofSeconds(5);
    /** For running scripts that call no tool, while sends to the broker wait. */
    private static final Duration MAX_TIME_WITHOUT_BROKER = Duration.ofSeconds(1);

    private static final int SUBMISSIONS_PER_PHASE = 15;

    @BeforeAll
    static void requireSmallDisk() {
        TestPrerequisite.require(
                SmallDisk.isSupported(), "the right to mount a disk in a mount namespace (unshare --mount)");
    }

    @Test
    void fullDatabaseDiskRefusesSubmissionsAndLosesNoExecution() {
        SmallDisk disk = new SmallDisk(128);
        String url = "jdbc:h2:file:" + disk.directory().resolve("sallyport") + ";WRITE_DELAY=0";
        try (SallyportServer server = disk.configure(ServerSetup.create("full-database"))
                .with("sallyport.db.url", url)
                .with("sallyport.limits.call-millis", "5000")
                .with("sallyport.execution.max-attempts", "100")
                .start()) {
            SubmissionLoad traffic = SubmissionLoad.start(server::api);
            try (traffic) {
                traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
                // Leaves less space than the service requires for new executions, but enough for running ones.
                disk.fill(server, 32 << 20);
                Await.until(
                        "submissions are refused", TIMEOUT, () -> traffic.countAnswers(503) >= SUBMISSIONS_PER_PHASE);
                assertThat(server.api().get("/health/ready").status()).isEqualTo(503);
                traffic.awaitAllEnded();
                disk.fill(server, 0);
                int before = traffic.countAnswers(503);
                Await.until(
                        "submissions are still refused",
                        TIMEOUT,
                        () -> traffic.countAnswers(503) >= before + SUBMISSIONS_PER_PHASE);
                disk.releaseSpace(server);
                traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
            }
            server.awaitReady();
            assertThat(traffic.findViolations()).isEmpty();
            assertThat(server.isAlive()).isTrue();
        }
    }

    @Test
    void fullBrokerDiskAcceptsSubmissionsThatRunLater() {
        // The broker blocks producers while less than 256 MB are free.
        SmallDisk disk = new SmallDisk(320);
        try (SallyportServer server = disk.configure(ServerSetup.create("full-broker"))
                .with("sallyport.broker.data", disk.directory().toString())
                .with("sallyport.limits.call-millis", "5000")
                .start()) {
            TimingCalibration pace = TimingCalibration.of(server.api());
            WaitingScripts callers = WaitingScripts.startCallers(server.api());
            WaitingScripts others = WaitingScripts.startWithoutCalls(server.api());
            SubmissionLoad traffic = SubmissionLoad.start(server::api);
            Duration taken;
            try (traffic) {
                traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
                disk.fill(server, 0);
                // Longer than the interval at which the broker checks the disk.
                Await.until(
                        "the disk is full for a while",
                        TIMEOUT,
                        new NanoTimeDeadline(Duration.ofSeconds(10))::isReached);
                callers.resume();
                callers.awaitOutput("calls");
                taken = others.resumeAndAwaitEnd();
                traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
                disk.releaseSpace(server);
                traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
            }
            server.awaitReady();
            callers.awaitCompleted();
            assertThat(traffic.findViolations()).isEmpty();
            assertThat(taken).isLessThan(pace.adjustLimit(MAX_TIME_WITHOUT_BROKER));
            assertThat(traffic.maxLatency()).isLessThan(pace.adjustLimit(MAX_LATENCY));
        }
    }

    /** A deadline on the clock of {@link System#nanoTime}. */
    private record NanoTimeDeadline(long endNanos) {
        NanoTimeDeadline(Duration time) {
            this(System.nanoTime() + time.toNanos());
        }

        boolean isReached() {
            return System.nanoTime() - endNanos > 0;
        }
    }
}
