package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SettableWallClock;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.testsupport.TestPrerequisite;

/** The wall clock of a node is changed. The service uses the database's clock. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
class WallClockIT {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void clockJumpOfTheNodeCausesNoEarlyExpiryOrStart() throws InterruptedException {
        Optional<SettableWallClock> found = SettableWallClock.find();
        TestPrerequisite.require(found.isPresent(), "libfaketime (Debian package libfaketime)");
        SettableWallClock clock = found.orElseThrow();
        try (PostgreSql database = PostgreSql.start();
                SallyportServer server = clock.configure(database.configure(ServerSetup.create("clock")))
                        .with("sallyport.runner.park-after-millis", "20000")
                        .start()) {
            RestClient api = server.api();
            assertNewWorkRuns(api, Duration.ZERO);
            long begun = System.nanoTime();
            String live =
                    api.submit(SubmissionBody.javascript("console.log('begun'); await sleep('15s'); return 'live';")
                            .limit("wallMillis", 60_000));
            String calls = api.submit(SubmissionBody.javascript(
                            "console.log('begun'); return await demo.slow({ millis: 15000, value: 'calls' });")
                    .limit("wallMillis", 60_000));
            String parked =
                    api.submit(SubmissionBody.javascript("console.log('begun'); await sleep('25s'); return 'parked';")
                            .limit("wallMillis", 60_000));
            List<String> all = List.of(live, calls, parked);
            all.forEach(id -> api.awaitOutput(id, "begun"));

            for (Duration offset : List.of(HOUR, HOUR.negated(), Duration.ZERO)) {
                clock.setOffset(offset);
                assertNewWorkRuns(api, offset);
                // Long enough for some runs of the sweepers and for more than one renewal of the lease.
                Thread.sleep(3_000);
                assertThat(api.get("/health/ready").status()).isEqualTo(200);
                if (System.nanoTime() - begun < Duration.ofSeconds(14).toNanos()) {
                    all.forEach(id -> assertThat(RestClient.isFinished(api.getExecution(id)))
                            .isFalse());
                }
            }

            assertEnded(api, live, "live", 1);
            assertEnded(api, calls, "calls", 1);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofSeconds(14));
            assertEnded(api, parked, "parked", 2);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofSeconds(24));
        }
    }

    private static void assertEnded(RestClient api, String id, String result, int attempts) {
        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo(result);
        assertThat(ended.path("attempt").asInt()).as(ended.toString()).isEqualTo(attempts);
    }

    /**
     * Checks that a node whose clock is off by {@code offset} runs new work, and runs it only once for the same
     * idempotency key.
     */
    private static void assertNewWorkRuns(RestClient api, Duration offset) {
        String key = "key-" + offset;
        String body = SubmissionBody.javascript("return [await demo.add({ a: 1, b: 2 }), await demo.clock()];")
                .json();
        RestResponse answer = api.send(api.submissionRequest(body, "Idempotency-Key", key, "Prefer", "wait=30"));
        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
        assertThat(answer.json().path("result").path(0).asInt())
                .as(answer.toString())
                .isEqualTo(3);
        RestResponse repeated = api.send(api.submissionRequest(body, "Idempotency-Key", key));
        assertThat(repeated.json().path("id").asText())
                .isEqualTo(answer.json().path("id").asText());
        // Checks that the clock was changed at all.
        Instant reported = Instant.parse(answer.json().path("result").path(1).asText());
        assertThat(Duration.between(Instant.now().plus(offset), reported))
                .isBetween(Duration.ofMinutes(-5), Duration.ofMinutes(5));
    }
}
