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
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.McpTestClient;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** The audit log names the actor and the operation of each change. */
@ExtendWith(ServerExtension.class)
class AuditIT {
    private static final String AUDIT = "/api/v1/audit";
    private static final String KEYS = "/api/v1/api-keys";

    private final SallyportServer server;
    private final RestClient api;
    private final OpenApiResponseValidator description;

    AuditIT(SallyportServer server, RestClient api) {
        this.server = server;
        this.api = api;
        this.description = OpenApiResponseValidator.of(api);
    }

    private JsonNode createKey(String... roles) {
        return api.post(KEYS, "{\"name\": \"audit\", \"roles\": [\"" + String.join("\", \"", roles) + "\"]}")
                .expectStatus(201)
                .json();
    }

    private List<JsonNode> findEntries(String query) {
        RestResponse answer = api.get(AUDIT + "?limit=200&" + query).expectStatus(200);
        assertThat(description.validate("GET", AUDIT, answer)).isEmpty();
        List<JsonNode> entries = new ArrayList<>();
        answer.json().path("items").forEach(entries::add);
        return entries;
    }

    private JsonNode findSingleEntry(String query) {
        List<JsonNode> entries = findEntries(query);
        assertThat(entries).as(query).hasSize(1);
        return entries.get(0);
    }

    private RestResponse post(RestClient as, String path, String body, String... headers) {
        HttpRequest.Builder request =
                as.request(path).header("Content-Type", "application/json").POST(RestClient.body(body));
        return as.send(headers.length == 0 ? request : request.headers(headers));
    }

    @Test
    void keyChangesAreAuditedWithoutTheSecret() {
        JsonNode created = createKey("submitter");
        String id = created.path("id").asText();
        api.send(api.request(KEYS + "/" + id).DELETE()).expectStatus(204);

        List<JsonNode> entries = findEntries("object=" + id);
        assertThat(entries)
                .extracting(entry -> entry.path("action").asText())
                .containsExactly("api-key.delete", "api-key.create");
        assertThat(entries).allSatisfy(entry -> {
            assertThat(entry.path("result").asText()).isEqualTo("done");
            assertThat(entry.path("channel").asText()).isEqualTo("rest");
            assertThat(entry.path("address").asText()).isEqualTo("127.0.0.1");
            assertThat(entry.path("actor").asText()).isNotEmpty();
        });
        assertThat(api.get(AUDIT + "?limit=200").text())
                .doesNotContain(created.path("key").asText());
    }

    @Test
    void refusalsAreAuditedUpToALimit() {
        JsonNode key = createKey("submitter");
        RestClient submitter = api.withKey(key.path("key").asText());
        String actor = "actor=" + key.path("id").asText();
        String name = "b" + UUID.randomUUID();
        for (int i = 0; i < 40; i++) {
            assertThat(post(submitter, "/api/v1/backends/" + name + "/restart", "{}")
                            .status())
                    .isEqualTo(403);
        }
        List<JsonNode> refused = findEntries(actor);
        assertThat(refused).hasSize(20);
        assertThat(refused).allSatisfy(entry -> {
            assertThat(entry.path("action").asText()).isEqualTo("backend.restart");
            assertThat(entry.path("object").asText()).isEqualTo(name);
            assertThat(entry.path("result").asText()).isEqualTo("refused");
            assertThat(entry.path("status").asInt()).isEqualTo(403);
        });

        // Uses a key with few refusals whose entries are not the newest of the log.
        JsonNode other = createKey("operator");
        assertThat(api.withKey(other.path("key").asText())
                        .cancel(UUID.randomUUID().toString())
                        .status())
                .isEqualTo(404);
        JsonNode unknown = findSingleEntry(
                "action=execution.cancel&actor=" + other.path("id").asText());
        assertThat(unknown.path("result").asText()).isEqualTo("refused");
        assertThat(unknown.path("status").asInt()).isEqualTo(404);
    }

    /** Other tests send wrong keys, too, and the entries of a minute are limited. */
    @Test
    void wrongKeysAreAudited() {
        for (String path : List.of(RestClient.EXECUTIONS, "/mcp")) {
            RestClient stranger = api.withKey("sp_wrong");
            String channel = path.equals("/mcp") ? "mcp" : "rest";
            Await.until("the log has an entry of the channel " + channel, Duration.ofMinutes(2), () -> {
                assertThat(post(stranger, path, "{}").status()).isIn(401, 429);
                return findEntries("action=api-key.use").stream()
                        .filter(entry -> entry.path("channel").asText().equals(channel))
                        .anyMatch(entry -> entry.path("result").asText().equals("refused")
                                && entry.path("actor").asText().isEmpty()
                                && !entry.path("address").asText().isEmpty());
            });
        }
    }

    @Test
    void operationsOnExecutionsAreAuditedAndSubmissionsAreNot() {
        String id = api.run(SubmissionBody.javascript("return 1")).path("id").asText();
        assertThat(findEntries("object=" + id)).isEmpty();
        String rerunId = post(api, RestClient.EXECUTIONS + "/" + id + "/rerun", "{}", "Prefer", "wait=20")
                .expectStatus(200)
                .json()
                .path("id")
                .asText();

        JsonNode rerun = findSingleEntry("object=" + id);
        assertThat(rerun.path("action").asText()).isEqualTo("execution.rerun");
        assertThat(rerun.path("result").asText()).isEqualTo("done");
        assertThat(rerunId).isNotEmpty();
    }

    @Test
    void auditLogDistinguishesAgentsFromConsoleUsers() {
        JsonNode key = createKey("submitter", "approver");
        String secret = key.path("key").asText();
        String actor = "actor=" + key.path("id").asText();
        String id = api.submit(SubmissionBody.javascript("while (true) await sleep(1000)"));
        try (McpTestClient agent = McpTestClient.withoutElicitation(server, secret)) {
            agent.call("cancel_execution", "{\"id\": \"" + id + "\"}").expectSuccess();
        }
        assertThat(findSingleEntry(actor).path("channel").asText()).isEqualTo("mcp");
        assertThat(findSingleEntry(actor).path("object").asText()).isEqualTo(id);

        RestResponse in = post(api.withoutKey(), "/console/session", "{\"key\": \"" + secret + "\"}")
                .expectStatus(200);
        String cookie = in.header("Set-Cookie").split(";", 2)[0];
        String[] session = {
            "Cookie", cookie, "X-Sallyport-CSRF", in.json().path("csrf").asText()
        };
        assertThat(post(api.withoutKey(), RestClient.EXECUTIONS + "/" + id + "/cancel", "", session)
                        .status())
                .isIn(202, 409);
        api.withoutKey()
                .send(api.withoutKey()
                        .request("/console/session")
                        .headers(session)
                        .DELETE())
                .expectStatus(204);
        assertThat(findEntries(actor))
                .extracting(entry -> entry.path("action").asText() + " "
                        + entry.path("channel").asText())
                .containsExactly(
                        "session.close console",
                        "execution.cancel console",
                        "session.open console",
                        "execution.cancel mcp");

        post(api.withoutKey(), "/console/session", "{\"key\": \"sp_wrong\"}").expectStatus(401);
        Await.until(
                "the stranger is in the log",
                Duration.ofSeconds(60),
                () -> findEntries("action=session.open").stream()
                        .anyMatch(entry -> entry.path("actor").asText().isEmpty()
                                && entry.path("result").asText().equals("refused")));
    }

    @Test
    void auditLogIsExportedAsLinesAndPageByPage() {
        for (int i = 0; i < 3; i++) {
            createKey("auditor");
        }
        JsonNode page = api.get(AUDIT + "?limit=2&action=api-key.create")
                .expectStatus(200)
                .json();
        assertThat(page.path("items")).hasSize(2);
        RestResponse lines = api.send(api.request(AUDIT + "?limit=2&action=api-key.create&cursor="
                                + page.path("next").asText())
                        .header("Accept", "application/x-ndjson"))
                .expectStatus(200);
        assertThat(lines.header("Content-Type")).startsWith("application/x-ndjson");
        List<String> each = lines.text().lines().toList();
        assertThat(each).isNotEmpty().hasSizeLessThanOrEqualTo(2);
        assertThat(each)
                .allSatisfy(line ->
                        assertThat(TestJson.read(line).path("action").asText()).isEqualTo("api-key.create"));
        assertThat(page.path("items").findValuesAsText("id"))
                .doesNotContain(TestJson.read(each.get(0)).path("id").asText());
    }

    @Test
    void submittersApproversAndOperatorsCannotReadTheAuditLog() {
        assertThat(api.withKey(createKey("auditor").path("key").asText())
                        .get(AUDIT)
                        .status())
                .isEqualTo(200);
        for (String role : List.of("submitter", "approver", "operator")) {
            assertThat(api.withKey(createKey(role).path("key").asText())
                            .get(AUDIT)
                            .status())
                    .isEqualTo(403);
        }
        assertThat(api.withoutKey().get(AUDIT).status()).isEqualTo(401);
        for (String bad : List.of("since=now", "limit=0", "cursor=x")) {
            assertThat(api.get(AUDIT + "?" + bad).status()).isEqualTo(400);
        }
    }
}
