package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** Schedules, on a server that allows an interval of one second. */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchedulesIT {
    private static final String ALL = "/api/v1/schedules";
    private static final String ONE = ALL + "/{id}";
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    private final RestClient api;
    private final OpenApiResponseValidator description;

    SchedulesIT(TestTenant tenant) {
        this.api = tenant.api();
        this.description = OpenApiResponseValidator.of(api);
    }

    private JsonNode assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer.json();
    }

    private static String everySecondSchedule(String more, String code) {
        return "{\"name\": \"s-" + UUID.randomUUID() + "\", \"everyMillis\": 1000, " + more + "\"run\": {\"code\": \""
                + code + "\"}}";
    }

    private String createSchedule(RestClient by, String body) {
        return assertDescribed("POST", ALL, 201, by.post(ALL, body)).path("id").asText();
    }

    private JsonNode getSchedule(String id) {
        return assertDescribed("GET", ONE, 200, api.get(ALL + "/" + id));
    }

    private List<JsonNode> runs(String id) {
        List<JsonNode> runs = new ArrayList<>();
        assertDescribed("GET", ONE + "/executions", 200, api.get(ALL + "/" + id + "/executions?limit=200"))
                .path("items")
                .forEach(runs::add);
        return runs;
    }

    private void delete(String id) {
        assertThat(api.send(api.request(ALL + "/" + id).DELETE()).status()).isEqualTo(204);
    }

    @Test
    void documentedExampleIsAcceptedAndRuns() throws IOException {
        Matcher block = Pattern.compile("```json schedule\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(CheckoutPaths.root().resolve("docs/schedules.md")));
        assertThat(block.find()).isTrue();
        String id = createSchedule(api, block.group(1));
        assertThat(assertDescribed("POST", ALL, 409, api.post(ALL, block.group(1)))
                        .path("type")
                        .asText())
                .endsWith("schedule-exists");

        JsonNode times = assertDescribed("GET", ONE + "/next", 200, api.get(ALL + "/" + id + "/next?count=3"))
                .path("times");
        assertThat(times).hasSize(3);
        assertThat(getSchedule(id).path("nextAt")).isEqualTo(times.get(0));
        JsonNode ran = assertDescribed(
                "POST",
                ONE + "/run",
                200,
                api.send(api.request(ALL + "/" + id + "/run")
                        .header("Prefer", "wait=30")
                        .POST(BodyPublishers.noBody())));
        assertThat(ran.path("result").asInt()).isEqualTo(42);
        assertThat(ran.path("labels"))
                .isEqualTo(TestJson.read("{\"team\": \"research\", \"sallyport.schedule\": \"nightly-sum\"}"));
        assertThat(ran.path("schedule").asText()).isEqualTo(id);
        assertThat(ran.path("submittedBy")).isEqualTo(getSchedule(id).path("submittedBy"));
        assertThat(runs(id)).singleElement().satisfies(run -> {
            assertThat(run.path("execution")).isEqualTo(ran.path("id"));
            assertThat(run.path("at").isNull()).isTrue();
        });
        assertThat(getSchedule(id).at("/lastRun/state").asText()).isEqualTo("COMPLETED");
        assertDescribed("GET", ALL, 200, api.get(ALL + "?limit=1"));
        delete(id);
        assertThat(api.get(ALL + "/" + id).status()).isEqualTo(404);
        assertThat(api.getExecution(ran.path("id").asText())).isEqualTo(ran);
    }

    @Test
    void overlappingRunIsSkippedOrCancelsTheEarlierRun() {
        String skips = createSchedule(api, everySecondSchedule("", "await sleep('100s')"));
        Await.until(
                "a time is left out",
                TIMEOUT,
                () -> getSchedule(skips).at("/lastSkipped/reason").asText().equals("overlap"));
        assertThat(runs(skips)).singleElement().satisfies(run -> {
            JsonNode begun = api.getExecution(run.path("execution").asText());
            assertThat(begun.path("schedule").asText()).isEqualTo(skips);
            assertThat(begun.path("submittedBy")).isEqualTo(getSchedule(skips).path("submittedBy"));
        });
        delete(skips);

        String cancels =
                createSchedule(api, everySecondSchedule("\"overlap\": \"cancel-previous\", ", "await sleep('100s')"));
        Await.until("it ran", TIMEOUT, () -> runs(cancels).size() >= 3);
        List<JsonNode> begun = runs(cancels);
        delete(cancels);
        for (JsonNode earlier : begun.subList(1, begun.size())) {
            assertThat(api.awaitEnd(earlier.path("execution").asText())
                            .path("state")
                            .asText())
                    .isEqualTo("CANCELLED");
        }
    }

    @Test
    void scheduleWithoutItsOwnersKeyIsPausedUntilTakenOver() {
        JsonNode issued = api.post("/api/v1/api-keys", "{\"name\": \"owner\", \"roles\": [\"submitter\"]}")
                .expectStatus(201)
                .json();
        String id = createSchedule(api.withKey(issued.path("key").asText()), everySecondSchedule("", "return 1"));
        assertThat(getSchedule(id).path("owner")).isEqualTo(issued.path("id"));
        Await.until("it ran", TIMEOUT, () -> !runs(id).isEmpty());
        assertThat(api.send(api.request("/api/v1/api-keys/" + issued.path("id").asText())
                                .DELETE())
                        .status())
                .isEqualTo(204);
        Await.until(
                "it is paused",
                TIMEOUT,
                () -> getSchedule(id).path("pauseReason").asText().equals("the key of its owner is no longer valid"));
        int before = runs(id).size();

        JsonNode resumed = assertDescribed(
                "POST",
                ONE + "/resume",
                200,
                api.send(api.request(ALL + "/" + id + "/resume").POST(BodyPublishers.noBody())));
        assertThat(resumed.path("owner")).isNotEqualTo(issued.path("id"));
        Await.until("it goes on", TIMEOUT, () -> runs(id).size() > before);
        delete(id);
    }

    @Test
    void invalidScheduleIsRefused() {
        String run = "\"run\": {\"code\": \"return 1\"}";
        for (String body : List.of(
                "{}",
                "{\"name\": \"x\", " + run + "}",
                "{\"name\": \"x\", \"cron\": \"* * * * *\", \"everyMillis\": 5000, " + run + "}",
                "{\"name\": \"x\", \"cron\": \"61 * * * *\", " + run + "}",
                "{\"name\": \"x\", \"cron\": \"0 0 30 2 *\", " + run + "}",
                "{\"name\": \"x\", \"cron\": \"* * * * *\", \"zone\": \"Mars/Olympus\", " + run + "}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"zone\": \"UTC\", " + run + "}",
                "{\"name\": \"x\", \"everyMillis\": 999, " + run + "}",
                "{\"name\": \"a b\", \"everyMillis\": 5000, " + run + "}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"overlap\": \"maybe\", " + run + "}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"catchUp\": \"some\", " + run + "}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"run\": {}}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"run\": {\"code\": \"return 1\", \"debug\": \"inspect\"}}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"run\": {\"code\": \"return 1\", \"limits\": "
                        + "{\"wallMillis\": 0}}}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"tenant\": \"other\", " + run + "}")) {
            assertDescribed("POST", ALL, 400, api.post(ALL, body));
        }
        assertDescribed(
                "POST",
                ALL,
                422,
                api.post(ALL, "{\"name\": \"x\", \"everyMillis\": 5000, \"run\": {\"code\": \"return +\"}}"));
        assertDescribed(
                "POST",
                ALL,
                404,
                api.post(ALL, "{\"name\": \"x\", \"everyMillis\": 5000, \"run\": {\"capability\": \"no.such\"}}"));
        assertDescribed("GET", ONE, 404, api.get(ALL + "/x"));
        assertDescribed("GET", ONE + "/next", 404, api.get(ALL + "/" + UUID.randomUUID() + "/next"));
        assertThat(api.get(ALL).json().path("items").findValuesAsText("name")).doesNotContain("x");
    }

    /** As while instances of a connector are updated one after the other. */
    @Test
    void scheduleWhoseToolIsMissingForAWhileIsNotPaused() {
        publishCapability("late.base", "1.0.0", "");
        publishCapability("late.caller", "1.0.0", "\"tools\": [\"capabilities.late.base\"], ");
        String id = createSchedule(
                api,
                "{\"name\": \"s-" + UUID.randomUUID()
                        + "\", \"everyMillis\": 1000, \"run\": {\"capability\": \"late.caller\"}}");
        Await.until("it runs", TIMEOUT, () -> !runs(id).isEmpty());
        api.post("/api/v1/capabilities/late.base/versions/1.0.0/deprecate", "{}")
                .expectStatus(200);
        Await.until("a due time has passed without a run", TIMEOUT, () -> {
            JsonNode schedule = getSchedule(id);
            assertThat(schedule.path("paused").asBoolean()).isFalse();
            return Instant.parse(schedule.path("nextAt").asText())
                    .isBefore(Instant.now().minusSeconds(3));
        });
        publishCapability("late.base", "1.0.1", "");
        int before = runs(id).size();
        Await.until("it runs again", TIMEOUT, () -> runs(id).size() > before);
        delete(id);
    }

    private void publishCapability(String name, String version, String more) {
        api.post(
                        "/api/v1/capabilities",
                        "{\"name\": \"" + name + "\", \"version\": \"" + version + "\", " + more
                                + "\"code\": \"export default () => 1\"}")
                .expectStatus(201);
    }
}
