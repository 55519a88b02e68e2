package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/** The limit on the number of queued executions of one tenant. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QueueFullIT {
    private static final String BATCHES = "/api/v1/batches";
    /** Holds its slot: a script that sleeps for longer is parked. */
    private static final SubmissionBody SLOT_HOLDER = SubmissionBody.javascript("for (;;) await sleep(200)");

    private final SallyportServer server = ServerSetup.create("queue-full")
            .with("sallyport.limits.max-queued", "3")
            .with("sallyport.runner.max-live-executions", "1")
            .launch();

    @AfterAll
    void end() {
        server.close();
    }

    private static void assertFull(OpenApiResponseValidator description, String path, RestResponse answer) {
        assertThat(answer.status()).as(answer.toString()).isEqualTo(429);
        assertThat(answer.problemType()).isEqualTo("queue-full");
        assertThat(answer.header("Retry-After")).contains("2");
        assertThat(answer.json().path("limit").asInt()).isEqualTo(3);
        assertThat(description.validate("POST", path, answer)).isEmpty();
    }

    @Test
    void submissionsBeyondTheQueueLimitAreRefusedUntilSomeStart() {
        server.awaitReady();
        RestClient api = server.api();
        OpenApiResponseValidator description = OpenApiResponseValidator.of(api);
        List<String> accepted = new ArrayList<>(List.of(api.submit(SLOT_HOLDER)));
        api.awaitRunning(accepted.get(0));
        // An execution that has started no longer counts as queued within one second.
        while (accepted.size() < 4) {
            accepted.add(Await.untilPresent(
                    "there is room for number " + accepted.size(),
                    Duration.ofSeconds(60),
                    () -> Optional.of(api.send(api.submissionRequest(SLOT_HOLDER.json())))
                            .filter(answer -> answer.status() == 202)
                            .map(answer -> answer.json().path("id").asText())));
        }

        assertFull(description, RestClient.EXECUTIONS, api.send(api.submissionRequest(SLOT_HOLDER.json())));
        String two = "{\"items\": [{\"code\": \"return 1\"}, {\"code\": \"return 2\"}]}";
        assertFull(description, BATCHES, api.post(BATCHES, two));
        assertThat(api.get("/api/v1/queue")
                        .expectStatus(200)
                        .json()
                        .path("limit")
                        .asInt())
                .isEqualTo(3);
        Await.until(
                "three are shown to wait",
                Duration.ofSeconds(60),
                () -> api.get("/api/v1/queue")
                                .expectStatus(200)
                                .json()
                                .at("/tenant/counts/PENDING")
                                .asInt()
                        == 3);

        accepted.forEach(api::cancel);
        accepted.forEach(api::awaitEnd);
        Await.until(
                "there is room again",
                Duration.ofSeconds(60),
                () -> api.send(api.submissionRequest(
                                        SubmissionBody.javascript("return 7").json()))
                                .status()
                        == 202);
        assertThat(api.post(BATCHES, two).status()).isEqualTo(202);
        retryAsksRoomForWhatHasFailed(api);
    }

    private static RestResponse submitUntilAccepted(String what, Supplier<RestResponse> request) {
        return Await.untilPresent(
                "there is room for " + what,
                Duration.ofSeconds(60),
                () -> Optional.of(request.get()).filter(answer -> answer.status() == 202));
    }

    private static void retryAsksRoomForWhatHasFailed(RestClient api) {
        String three = "{\"items\": [{\"code\": \"return 1\"}, {\"code\": \"throw 2\"}, {\"code\": \"return 3\"}]}";
        String batch = submitUntilAccepted("three", () -> api.post(BATCHES, three))
                .json()
                .path("id")
                .asText();
        Await.until(
                "they have ended",
                Duration.ofSeconds(60),
                () -> api.get(BATCHES + "/" + batch)
                        .expectStatus(200)
                        .json()
                        .path("finished")
                        .asBoolean());
        String running = submitUntilAccepted("one that runs", () -> api.post(RestClient.EXECUTIONS, SLOT_HOLDER.json()))
                .json()
                .path("id")
                .asText();
        api.awaitRunning(running);
        String waiting = submitUntilAccepted(
                        "one that waits", () -> api.post(RestClient.EXECUTIONS, SLOT_HOLDER.json()))
                .json()
                .path("id")
                .asText();

        // Beside the execution that waits, the queue has room for two more and never for three.
        RestResponse retried = submitUntilAccepted("one more", () -> api.post(BATCHES + "/" + batch + "/retry", "{}"));

        assertThat(retried.json().path("total").asInt()).isEqualTo(1);
        api.cancel(running).expectStatus(202);
        api.cancel(waiting).expectStatus(202);
    }
}
