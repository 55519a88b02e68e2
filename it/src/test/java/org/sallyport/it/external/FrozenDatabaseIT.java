package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.chaos.ExpectedEnd;
import org.sallyport.it.chaos.HistoryChecker;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.LossyPostgreSql;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionLoad;
import org.sallyport.it.harness.UseServer;

/**
 * The database is suspended under load, for longer than the service waits for an answer. It commits later what it had
 * received, and the service does not receive its answers. No accepted execution may end in another way because of it.
 */
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.POSTGRESQL)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FrozenDatabaseIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final int SUBMISSIONS_PER_PHASE = 15;
    /** At this number each caller was refused, because a connection did not answer in time. */
    private static final int REFUSALS_PER_FREEZE = 4;

    /** Makes many writes. Its tools keep nothing in the database, so each call must succeed. */
    private static final String CHATTY_SCRIPT = """
            let sum = 0;
            for (let i = 0; i < 5; i++) {
              console.log('step', i);
              sum += await demo.slow({ millis: 100, value: i });
            }
            return demo.echo({ sum });
            """;

    private static final ExpectedEnd EXPECTED_END = ExpectedEnd.completed(
                    result -> result.path("sum").asInt() == 10)
            .withOutput("step 0\nstep 1\nstep 2\nstep 3\nstep 4\n");

    private final RestClient api;
    private final PostgreSql database = LossyPostgreSql.shared().database();

    FrozenDatabaseIT(RestClient api) {
        this.api = api;
    }

    @Test
    void everyAcceptedExecutionCompletesAfterAFreeze() {
        assertAllComplete(1);
    }

    @Tag("slow")
    @Test
    void everyAcceptedExecutionCompletes() {
        assertAllComplete(Integer.getInteger("freezes", 6));
    }

    private void assertAllComplete(int freezes) {
        SubmissionLoad load = SubmissionLoad.start(() -> api, CHATTY_SCRIPT);
        try (load) {
            for (int i = 0; i < freezes; i++) {
                load.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
                freeze(load);
            }
            load.awaitAccepted(SUBMISSIONS_PER_PHASE, TIMEOUT);
        }
        load.awaitAllEnded();
        assertThat(load.findUnexpectedResponses()).isEmpty();
        assertThat(HistoryChecker.findViolations(api, load.acceptedIds(), EXPECTED_END))
                .isEmpty();
    }

    private void freeze(SubmissionLoad load) {
        int before = load.countAnswers(503);
        database.pause();
        try {
            Await.until(
                    "submissions are answered 503",
                    TIMEOUT,
                    () -> load.countAnswers(503) >= before + REFUSALS_PER_FREEZE);
        } finally {
            database.resume();
        }
    }
}
