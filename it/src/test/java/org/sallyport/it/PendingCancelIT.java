package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TimingCalibration;
import org.sallyport.it.harness.UseServer;
import org.sallyport.testsupport.TimingAssertions;

/** The cancellation of an execution that waits for its turn. */
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.SMALL)
class PendingCancelIT {
    private static final Duration MAX_CANCEL_TIME = Duration.ofSeconds(2);

    @Test
    void cancelledWhilePendingNeverRuns(RestClient api) {
        TimingCalibration pace = TimingCalibration.of(api);
        // A script that sleeps for longer releases its slot.
        List<String> running = Stream.generate(
                        () -> api.submit(SubmissionBody.javascript("for (;;) await sleep(200);")))
                .limit(ServerProfile.MAX_LIVE_EXECUTIONS)
                .toList();
        running.forEach(api::awaitRunning);
        List<String> pending = Stream.generate(() -> api.submit(SubmissionBody.javascript("console.log('ran');")))
                .limit(3)
                .toList();
        JsonNode last = api.getExecution(pending.get(2));
        assertThat(last.path("state").asText()).isEqualTo("PENDING");
        assertThat(last.path("queuePosition").asInt()).isEqualTo(3);

        Instant asked = Instant.now();
        JsonNode answered = api.cancel(pending.get(1)).expectStatus(202).json();

        assertThat(answered.path("state").asText()).isEqualTo("CANCELLED");
        assertThat(answered.has("startedAt")).isFalse();
        assertThat(api.getExecution(pending.get(2)).path("queuePosition").asInt())
                .isEqualTo(2);
        running.forEach(id -> api.cancel(id).expectStatus(202));
        Instant cancelled = Instant.parse(answered.path("finishedAt").asText());
        TimingAssertions.assertAtMost(pace.adjustLimit(MAX_CANCEL_TIME), Duration.between(asked, cancelled));
        assertThat(api.awaitEnd(pending.get(2)).path("state").asText()).isEqualTo("COMPLETED");
        assertThat(api.getExecution(pending.get(1)).path("output").asText()).isEmpty();
        assertThat(api.getTrace(pending.get(1)))
                .noneMatch(event -> event.path("state").asText().equals("RUNNING"));
    }
}
