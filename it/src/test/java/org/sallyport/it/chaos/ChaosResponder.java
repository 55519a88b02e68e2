package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.TestJson;

/**
 * Approves the requests and emits the events for which executions of a {@link ChaosLoad} wait, until it is closed. An
 * execution gets its event when it is parked: then its position among the events is stored.
 */
final class ChaosResponder implements AutoCloseable {
    private static final int PAUSE_MILLIS = 250;
    private static final String APPROVALS = "/api/v1/approvals";

    private final RetryingClient client;
    private final Supplier<Map<String, ChaosSubmission>> accepted;
    private final Set<String> answered = new HashSet<>();
    private final Thread thread = new Thread(this::respondUntilClosed, "responder");
    private volatile boolean open = true;

    private ChaosResponder(RetryingClient client, Supplier<Map<String, ChaosSubmission>> accepted) {
        this.client = client;
        this.accepted = accepted;
    }

    /** @param accepted the submissions that were accepted so far, by execution id */
    static ChaosResponder start(RetryingClient client, Supplier<Map<String, ChaosSubmission>> accepted) {
        ChaosResponder responder = new ChaosResponder(client, accepted);
        responder.thread.setDaemon(true);
        responder.thread.start();
        return responder;
    }

    private void respondUntilClosed() {
        try {
            while (open) {
                approvePendingRequests();
                emitAwaitedEvents();
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            client.addFailure("the responder died: " + e);
        }
    }

    private void approvePendingRequests() throws InterruptedException {
        Optional<RestResponse> list =
                client.send("the list of approvals", api -> api.request(APPROVALS + "?limit=100"), 200);
        for (JsonNode approval :
                list.map(RestResponse::json).map(ChaosResponder::items).orElse(List.of())) {
            String path = APPROVALS + "/" + approval.path("id").asText() + "/approve";
            String vote = TestJson.write(TestJson.object().set("result", approval.at("/arguments/details")));
            // 409: the execution has ended, or an earlier vote was counted and not answered.
            client.send(
                    path,
                    api -> api.request(path)
                            .header("Content-Type", "application/json")
                            .POST(RestClient.body(vote)),
                    200,
                    409);
        }
    }

    private static List<JsonNode> items(JsonNode list) {
        return StreamSupport.stream(list.path("items").spliterator(), false).toList();
    }

    private void emitAwaitedEvents() throws InterruptedException {
        for (Map.Entry<String, ChaosSubmission> each : accepted.get().entrySet()) {
            String id = each.getKey();
            if (each.getValue().script() == ChaosScript.EVENT && !answered.contains(id)) {
                Optional<JsonNode> execution = client.send(
                                "execution " + id, api -> api.request(RestClient.EXECUTIONS + "/" + id), 200, 404)
                        .map(RestResponse::json);
                if (execution
                        .filter(found -> found.at("/waitingFor/reason").asText().equals("event"))
                        .isPresent()) {
                    emit(each.getValue());
                    answered.add(id);
                }
            }
        }
    }

    private void emit(ChaosSubmission job) throws InterruptedException {
        String event = "{\"name\": \"" + job.key() + "\", \"payload\": " + job.number() + "}";
        client.send(
                "event " + job,
                api -> api.request("/api/v1/events")
                        .header("Content-Type", "application/json")
                        .header("Idempotency-Key", job.key())
                        .POST(RestClient.body(event)),
                201);
    }

    @Override
    public void close() {
        open = false;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
