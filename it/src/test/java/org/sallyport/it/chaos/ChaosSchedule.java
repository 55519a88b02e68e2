package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.TestJson;

/**
 * A schedule that runs {@link ChaosScript#SCHEDULED} during the load and makes up for each time at which no node ran.
 *
 * @param id the id of the schedule
 */
record ChaosSchedule(String id) {
    static final Duration INTERVAL = Duration.ofSeconds(2);

    /** What each of its executions runs. */
    static final ChaosSubmission SUBMISSION = new ChaosSubmission(ChaosScript.SCHEDULED, "scheduled", 1);

    private static final String SCHEDULES = "/api/v1/schedules";

    static ChaosSchedule create(RestClient api) {
        JsonNode schedule = TestJson.object()
                .put("name", "chaos")
                .put("everyMillis", INTERVAL.toMillis())
                .put("overlap", "allow")
                .put("catchUp", "all")
                .set(
                        "run",
                        TestJson.read(
                                SUBMISSION.script().toSubmission(SUBMISSION).json()));
        return new ChaosSchedule(api.post(SCHEDULES, TestJson.write(schedule))
                .expectStatus(201)
                .json()
                .path("id")
                .asText());
    }

    /** Starts no more executions. Does nothing if the schedule was lost. */
    void pause(RetryingClient client) throws InterruptedException {
        client.send(
                "the pause of the schedule",
                api -> api.request(SCHEDULES + "/" + id + "/pause")
                        .header("Content-Type", "application/json")
                        .POST(RestClient.body("{\"reason\": \"enough\"}")),
                200,
                404);
    }

    /** The ids of all its executions; empty if the schedule was lost. */
    List<String> executions(RestClient api) {
        String path = SCHEDULES + "/" + id + "/executions?limit=100";
        Optional<RestResponse> found = Optional.of(api.get(path)).filter(answer -> answer.status() == 200);
        return found.isEmpty()
                ? List.of()
                : api.listAll(path).stream()
                        .map(run -> run.path("execution").asText())
                        .toList();
    }
}
