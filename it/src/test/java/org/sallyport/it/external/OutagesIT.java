package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.chaos.ExpectedEnd;
import org.sallyport.it.chaos.HistoryChecker;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionLoad;
import org.sallyport.it.harness.TimingCalibration;

/**
 * The broker or the database dies, hangs or comes back empty under load. The service survives and recovers by itself.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutagesIT {
    /** How soon the service refuses a submission while the database is down. */
    private static final Duration MAX_REFUSAL_LATENCY = Duration.ofSeconds(2);

    /** Allowance for a machine that is busy with the service, its broker, its database and the callers. */
    private static final Duration BUSY_ALLOWANCE = Duration.ofSeconds(1);

    /**
     * Maximum latency of a submission: the time limits for a connection to the database, for its validation, and for a
     * response, of which half passes if the database returns meanwhile. Doubled for a busy machine.
     */
    private static final Duration MAX_LATENCY = Duration.ofSeconds(9);

    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final int SUBMISSIONS_PER_PHASE = 15;
    private static final int ROUNDS = Integer.getInteger("outages.rounds", 1);
    private static final Duration DATABASE_PAUSE = Duration.ofSeconds(20);

    private final BrokerProcess broker = BrokerProcess.start();
    private final PostgreSql database = PostgreSql.start();
    private final SallyportServer server = broker.configure(database.configure(ServerSetup.create("outages")))
            // A call whose message was at the broker when it died gets no reply.
            .with("sallyport.limits.call-millis", "5000")
            .with("sallyport.execution.max-attempts", "100")
            .with("sallyport.runner.resend-millis", "2000")
            .launch();

    @BeforeEach
    void ready() {
        server.awaitReady();
    }

    @AfterAll
    void end() {
        server.close();
        broker.close();
        database.close();
    }

    @Test
    void submissionsSurviveABrokerOutageEvenIfItsDataIsLost() {
        long pid = server.pid();
        TimingCalibration pace = TimingCalibration.of(server.api());
        SubmissionLoad traffic = SubmissionLoad.start(server::api);
        try (traffic) {
            for (int round = 0; round < 2 * ROUNDS; round++) {
                traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
                broker.kill();
                try {
                    traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
                } finally {
                    if (round % 2 == 1) {
                        broker.deleteData();
                    }
                    broker.startProcess();
                }
                server.awaitReady();
            }
            traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
        }
        assertCorrectHistories(traffic);
        assertThat(traffic.countAnswers(503)).isZero();
        assertThat(traffic.maxLatency()).isLessThan(pace.adjustLimit(MAX_LATENCY));
        assertThat(server.pid()).isEqualTo(pid);
    }

    @Test
    void databaseOutageIsReportedPromptlyAndLosesNoExecution() {
        TimingCalibration pace = TimingCalibration.of(server.api());
        SubmissionLoad traffic = SubmissionLoad.start(server::api);
        try (traffic) {
            for (int round = 0; round < ROUNDS; round++) {
                traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
                database.kill();
                try {
                    awaitRefusals(traffic);
                } finally {
                    database.startProcess();
                }
                server.awaitReady();
            }
            traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
        }
        assertPrompt(traffic, pace);
    }

    @Test
    void pausedDatabaseIsReportedPromptlyAndTheServiceRecovers() throws InterruptedException {
        TimingCalibration pace = TimingCalibration.of(server.api());
        SubmissionLoad traffic = SubmissionLoad.start(server::api);
        try (traffic) {
            traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
            database.pause();
            try {
                awaitRefusals(traffic);
                // Longer than the lease of the node.
                Thread.sleep(DATABASE_PAUSE.toMillis());
                assertThat(server.isAlive()).isTrue();
            } finally {
                database.resume();
            }
            server.awaitReady();
            traffic.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
        }
        assertPrompt(traffic, pace);
    }

    private void assertCorrectHistories(SubmissionLoad traffic) {
        assertThat(traffic.findViolations()).isEmpty();
        ExpectedEnd expected =
                ExpectedEnd.completed(result -> result.has("told")).withOutput("");
        assertThat(HistoryChecker.findViolations(server.api(), traffic.acceptedIds(), expected))
                .isEmpty();
    }

    private void assertPrompt(SubmissionLoad traffic, TimingCalibration pace) {
        assertCorrectHistories(traffic);
        assertThat(traffic.p90Latency(503)).isLessThan(pace.adjustLimit(MAX_REFUSAL_LATENCY.plus(BUSY_ALLOWANCE)));
        assertThat(traffic.maxLatency()).isLessThan(pace.adjustLimit(MAX_LATENCY));
    }

    private static void awaitRefusals(SubmissionLoad traffic) {
        int before = traffic.countAnswers(503);
        Await.until(
                "submissions are answered 503",
                TIMEOUT,
                () -> traffic.countAnswers(503) >= before + SUBMISSIONS_PER_PHASE);
    }
}
