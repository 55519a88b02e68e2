package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.Pace;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Traffic;

/** The broker or the database dies, hangs or comes back empty under load; the service does not, and goes on by itself. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutagesIT {
    /** How soon a submission is refused while the database is away. */
    private static final Duration PROMPT = Duration.ofSeconds(2);

    /** The machine is busy with the service, its broker, its database and the callers. */
    private static final Duration BUSY = Duration.ofSeconds(1);

    /**
     * What the unluckiest waits: for a connection, for whether the one it got is alive, and for an answer, half of it when the
     * database comes back between; and as long again on a busy machine.
     */
    private static final Duration LONGEST = Duration.ofSeconds(9);

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int SOME = 15;
    private static final int ROUNDS = Integer.getInteger("outages.rounds", 1);
    private static final Duration PAUSE = Duration.ofSeconds(20);

    private final BrokerProcess broker = BrokerProcess.start();
    private final PostgreSql database = PostgreSql.start();
    private final SallyportServer server = broker.usedBy(database.usedBy(ServerSetup.fresh("outages")))
            // What was with the broker when it died is not answered any more.
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
    void whileTheBrokerIsDeadSubmissionsAreAcceptedAndNothingIsLostEvenWithItsData() {
        long pid = server.pid();
        Pace pace = Pace.of(server.api());
        Traffic traffic = Traffic.begin(server::api);
        try (traffic) {
            for (int round = 0; round < 2 * ROUNDS; round++) {
                traffic.awaitAccepted(SOME, PATIENCE);
                broker.kill();
                try {
                    traffic.awaitAccepted(SOME, PATIENCE);
                } finally {
                    if (round % 2 == 1) {
                        broker.deleteData();
                    }
                    broker.begin();
                }
                server.awaitReady();
            }
            traffic.awaitAccepted(SOME, PATIENCE);
        }
        assertThat(traffic.faults()).isEmpty();
        assertThat(traffic.answers(503)).isZero();
        assertThat(traffic.slowest()).isLessThan(pace.within(LONGEST));
        assertThat(server.pid()).isEqualTo(pid);
    }

    @Test
    void whileTheDatabaseIsDeadEverybodyHearsSoAndNothingIsLost() {
        Pace pace = Pace.of(server.api());
        Traffic traffic = Traffic.begin(server::api);
        try (traffic) {
            for (int round = 0; round < ROUNDS; round++) {
                traffic.awaitAccepted(SOME, PATIENCE);
                database.kill();
                try {
                    awaitRefusals(traffic);
                } finally {
                    database.begin();
                }
                server.awaitReady();
            }
            traffic.awaitAccepted(SOME, PATIENCE);
        }
        assertPrompt(traffic, pace);
    }

    @Test
    void whileTheDatabaseStandsStillEverybodyHearsSoAndItGoesOnByItself() throws InterruptedException {
        Pace pace = Pace.of(server.api());
        Traffic traffic = Traffic.begin(server::api);
        try (traffic) {
            traffic.awaitAccepted(SOME, PATIENCE);
            database.pause();
            try {
                awaitRefusals(traffic);
                // Past the lease of the node.
                Thread.sleep(PAUSE.toMillis());
                assertThat(server.isAlive()).isTrue();
            } finally {
                database.resume();
            }
            server.awaitReady();
            traffic.awaitAccepted(SOME, PATIENCE);
        }
        assertPrompt(traffic, pace);
    }

    private static void assertPrompt(Traffic traffic, Pace pace) {
        assertThat(traffic.faults()).isEmpty();
        assertThat(traffic.usual(503)).isLessThan(pace.within(PROMPT.plus(BUSY)));
        assertThat(traffic.slowest()).isLessThan(pace.within(LONGEST));
    }

    private static void awaitRefusals(Traffic traffic) {
        int before = traffic.answers(503);
        Await.until("submissions are answered 503", PATIENCE, () -> traffic.answers(503) >= before + SOME);
    }
}
