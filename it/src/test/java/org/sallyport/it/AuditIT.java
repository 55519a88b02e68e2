package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Agent;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Who did what, as the audit log tells it. */
@ExtendWith(Servers.class)
class AuditIT {
    private static final String AUDIT = "/api/v1/audit";
    private static final String KEYS = "/api/v1/api-keys";

    private final SallyportServer server;
    private final Api api;
    private final Description description;

    AuditIT(SallyportServer server, Api api) {
        this.server = server;
        this.api = api;
        this.description = Description.of(api);
    }

    private JsonNode key(String... roles) {
        return api.post(KEYS, "{\"name\": \"audit\", \"roles\": [\"" + String.join("\", \"", roles) + "\"]}")
                .expect(201)
                .json();
    }

    private List<JsonNode> log(String query) {
        Answer answer = api.get(AUDIT + "?limit=200&" + query).expect(200);
        assertThat(description.faults("GET", AUDIT, answer)).isEmpty();
        List<JsonNode> entries = new ArrayList<>();
        answer.json().path("items").forEach(entries::add);
        return entries;
    }

    private JsonNode only(String query) {
        List<JsonNode> entries = log(query);
        assertThat(entries).as(query).hasSize(1);
        return entries.get(0);
    }

    private Answer post(Api as, String path, String body, String... headers) {
        HttpRequest.Builder request =
                as.request(path).header("Content-Type", "application/json").POST(Api.body(body));
        return as.send(headers.length == 0 ? request : request.headers(headers));
    }

    @Test
    void aKeyIsMadeAndDeletedAndTheLogHoldsNoSecret() {
        JsonNode made = key("submitter");
        String id = made.path("id").asText();
        api.send(api.request(KEYS + "/" + id).DELETE()).expect(204);

        List<JsonNode> entries = log("object=" + id);
        assertThat(entries)
                .extracting(entry -> entry.path("action").asText())
                .containsExactly("api-key.delete", "api-key.create");
        assertThat(entries).allSatisfy(entry -> {
            assertThat(entry.path("result").asText()).isEqualTo("done");
            assertThat(entry.path("door").asText()).isEqualTo("rest");
            assertThat(entry.path("address").asText()).isEqualTo("127.0.0.1");
            assertThat(entry.path("actor").asText()).isNotEmpty();
        });
        assertThat(api.get(AUDIT + "?limit=200").text())
                .doesNotContain(made.path("key").asText());
    }

    @Test
    void whatIsRefusedIsWrittenAndNotWithoutBound() {
        JsonNode key = key("submitter");
        Api submitter = api.as(key.path("key").asText());
        String actor = "actor=" + key.path("id").asText();
        String name = "b" + UUID.randomUUID();
        for (int i = 0; i < 40; i++) {
            assertThat(post(submitter, "/api/v1/backends/" + name + "/restart", "{}")
                            .status())
                    .isEqualTo(403);
        }
        List<JsonNode> refused = log(actor);
        assertThat(refused).hasSize(20);
        assertThat(refused).allSatisfy(entry -> {
            assertThat(entry.path("action").asText()).isEqualTo("backend.restart");
            assertThat(entry.path("object").asText()).isEqualTo(name);
            assertThat(entry.path("result").asText()).isEqualTo("refused");
            assertThat(entry.path("status").asInt()).isEqualTo(403);
        });

        // Of somebody whose refusals are few, and not the newest of all.
        JsonNode other = key("operator");
        assertThat(api.as(other.path("key").asText())
                        .cancel(UUID.randomUUID().toString())
                        .status())
                .isEqualTo(404);
        JsonNode unknown =
                only("action=execution.cancel&actor=" + other.path("id").asText());
        assertThat(unknown.path("result").asText()).isEqualTo("refused");
        assertThat(unknown.path("status").asInt()).isEqualTo(404);
    }

    @Test
    void whatIsDoneToExecutionsIsWrittenAndTheirSubmissionIsNot() {
        String id = api.run(Submission.javascript("return 1")).path("id").asText();
        assertThat(log("object=" + id)).isEmpty();
        String again = post(api, Api.EXECUTIONS + "/" + id + "/rerun", "{}", "Prefer", "wait=20")
                .expect(200)
                .json()
                .path("id")
                .asText();

        JsonNode rerun = only("object=" + id);
        assertThat(rerun.path("action").asText()).isEqualTo("execution.rerun");
        assertThat(rerun.path("result").asText()).isEqualTo("done");
        assertThat(again).isNotEmpty();
    }

    @Test
    void agentsAndPeopleAtTheConsoleAreToldApart() {
        JsonNode key = key("submitter", "approver");
        String secret = key.path("key").asText();
        String actor = "actor=" + key.path("id").asText();
        String id = api.submit(Submission.javascript("while (true) await sleep(1000)"));
        try (Agent agent = Agent.alone(server, secret)) {
            agent.call("cancel_execution", "{\"id\": \"" + id + "\"}").ok();
        }
        assertThat(only(actor).path("door").asText()).isEqualTo("mcp");
        assertThat(only(actor).path("object").asText()).isEqualTo(id);

        Answer in = post(api.anonymous(), "/console/session", "{\"key\": \"" + secret + "\"}")
                .expect(200);
        String cookie = in.header("Set-Cookie").split(";", 2)[0];
        String[] session = {
            "Cookie", cookie, "X-Sallyport-CSRF", in.json().path("csrf").asText()
        };
        assertThat(post(api.anonymous(), Api.EXECUTIONS + "/" + id + "/cancel", "", session)
                        .status())
                .isIn(202, 409);
        api.anonymous()
                .send(api.anonymous()
                        .request("/console/session")
                        .headers(session)
                        .DELETE())
                .expect(204);
        assertThat(log(actor))
                .extracting(entry ->
                        entry.path("action").asText() + " " + entry.path("door").asText())
                .containsExactly(
                        "session.close console",
                        "execution.cancel console",
                        "session.open console",
                        "execution.cancel mcp");

        post(api.anonymous(), "/console/session", "{\"key\": \"sp_wrong\"}").expect(401);
        Await.until(
                "the stranger is in the log",
                Duration.ofSeconds(60),
                () -> log("action=session.open").stream()
                        .anyMatch(entry -> entry.path("actor").asText().isEmpty()
                                && entry.path("result").asText().equals("refused")));
    }

    @Test
    void itIsTakenAwayAsLinesAndPageByPage() {
        for (int i = 0; i < 3; i++) {
            key("auditor");
        }
        JsonNode page =
                api.get(AUDIT + "?limit=2&action=api-key.create").expect(200).json();
        assertThat(page.path("items")).hasSize(2);
        Answer lines = api.send(api.request(AUDIT + "?limit=2&action=api-key.create&cursor="
                                + page.path("next").asText())
                        .header("Accept", "application/x-ndjson"))
                .expect(200);
        assertThat(lines.header("Content-Type")).startsWith("application/x-ndjson");
        List<String> each = lines.text().lines().toList();
        assertThat(each).isNotEmpty().hasSizeLessThanOrEqualTo(2);
        assertThat(each)
                .allSatisfy(line ->
                        assertThat(Json.read(line).path("action").asText()).isEqualTo("api-key.create"));
        assertThat(page.path("items").findValuesAsText("id"))
                .doesNotContain(Json.read(each.get(0)).path("id").asText());
    }

    @Test
    void onlyAuditorsReadItAndNobodyElse() {
        assertThat(api.as(key("auditor").path("key").asText()).get(AUDIT).status())
                .isEqualTo(200);
        for (String role : List.of("submitter", "approver", "operator")) {
            assertThat(api.as(key(role).path("key").asText()).get(AUDIT).status())
                    .isEqualTo(403);
        }
        assertThat(api.anonymous().get(AUDIT).status()).isEqualTo(401);
        for (String bad : List.of("since=now", "limit=0", "cursor=x")) {
            assertThat(api.get(AUDIT + "?" + bad).status()).isEqualTo(400);
        }
    }
}
