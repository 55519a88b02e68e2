package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.EventStreamClient;
import org.sallyport.it.harness.FakeTokenIssuer;
import org.sallyport.it.harness.McpTestClient;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestTenant;

/**
 * The permissions of callers with a token of an issuer. {@link TokenValidityIT} covers more tokens that are refused.
 */
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TokenAuthenticationIT {
    private static final String BLOCKED_SUBJECTS = "/api/v1/blocked-subjects";
    private static final String AUDIT = "/api/v1/audit?limit=200&";
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final String ISSUER = TestTenant.issuer().url();

    private final SallyportServer server;
    private final TestTenant tenant;
    private final TestTenant otherTenant;
    private final RestClient admin;

    TokenAuthenticationIT(SallyportServer server, TestTenant us, TestTenant them) {
        this.server = server;
        this.tenant = us;
        this.otherTenant = them;
        this.admin = us.api();
    }

    private RestClient clientWithToken(TestTenant tenant, String subject, String... groups) {
        return admin.withKey(tenant.token(subject, groups));
    }

    private static String callerId(String subject) {
        return "jwt:" + subject + "@" + ISSUER;
    }

    private List<JsonNode> findAuditEntries(RestClient reader, String query) {
        List<JsonNode> entries = new ArrayList<>();
        reader.get(AUDIT + query).expectStatus(200).json().path("items").forEach(entries::add);
        return entries;
    }

    /**
     * The class loader of the server loads this library before the application's class loader does, so the server must
     * contain the version that the application was compiled against.
     */
    @Test
    void jwtLibraryMatchesTheVersionOfTheServer() throws IOException {
        Path jar = CheckoutPaths.serverDirectory().resolve("platform/runtime/nimbus-jose-jwt.jar");
        try (JarInputStream library = new JarInputStream(Files.newInputStream(jar))) {
            assertThat(library.getManifest().getMainAttributes().getValue("Implementation-Version"))
                    .isEqualTo(SignedJWT.class.getPackage().getImplementationVersion());
        }
    }

    @Test
    void callerWithATokenSubmitsAndPolls() {
        RestClient alice = clientWithToken(tenant, "alice", "submitters");

        assertThat(alice.run(SubmissionBody.javascript("return 6 * 7"))
                        .path("result")
                        .asInt())
                .isEqualTo(42);
        String id = alice.submit(SubmissionBody.javascript("return 'later'"));
        assertThat(alice.awaitEnd(id).path("result").asText()).isEqualTo("later");
        assertThat(TestTenant.issuer().keyFetches()).isPositive();
    }

    @Test
    void groupsOfTheTokenDetermineTheRoles() {
        String body = SubmissionBody.javascript("return 1").json();
        assertThat(clientWithToken(tenant, "eve", "auditors")
                        .post(RestClient.EXECUTIONS, body)
                        .problemType())
                .isEqualTo("forbidden");
        assertThat(clientWithToken(tenant, "eve", "admin", "submitter", "Submitters")
                        .post(RestClient.EXECUTIONS, body)
                        .status())
                .isEqualTo(403);
        assertThat(clientWithToken(tenant, "eve").get(RestClient.EXECUTIONS).status())
                .isEqualTo(403);
        assertThat(clientWithToken(tenant, "alice", "submitters")
                        .get("/api/v1/api-keys")
                        .status())
                .isEqualTo(403);
        assertThat(clientWithToken(tenant, "root", "admins")
                        .get("/api/v1/api-keys")
                        .status())
                .isEqualTo(200);
        assertThat(clientWithToken(tenant, "eve", "auditors").get(AUDIT).status())
                .isEqualTo(200);
    }

    @Test
    void objectsOfAnotherTenantAreNotFound() {
        RestClient ours = clientWithToken(tenant, "alice", "submitters", "admins");
        RestClient theirs = clientWithToken(otherTenant, "alice", "submitters", "admins");
        String our =
                ours.run(SubmissionBody.javascript("return 'ours'")).path("id").asText();
        String their = theirs.run(SubmissionBody.javascript("return 'theirs'"))
                .path("id")
                .asText();

        for (String part : List.of("", "/code", "/trace", "/journal", "/why")) {
            assertThat(theirs.get(RestClient.EXECUTIONS + "/" + our + part).problemType())
                    .isEqualTo("not-found");
            assertThat(ours.get(RestClient.EXECUTIONS + "/" + their + part).problemType())
                    .isEqualTo("not-found");
        }
        assertThat(theirs.cancel(our).problemType()).isEqualTo("not-found");
        assertThat(theirs.listExecutionIds()).contains(their).doesNotContain(our);
        assertThat(admin.withKey(TestTenant.issuer().token("alice", "globex", "submitters"))
                        .get(RestClient.EXECUTIONS)
                        .status())
                .isEqualTo(401);
    }

    /** Sends three of the invalid tokens of {@link TokenValidityIT}. */
    @Test
    void forgedAndExpiredTokensAreRefused() {
        FakeTokenIssuer issuer = TestTenant.issuer();
        String keyId = issuer.key().getKeyID();
        JWTClaimsSet claims =
                issuer.claims(change -> change.claim("tenant", tenant.name()).claim("groups", List.of("admins")));
        JWSHeader header =
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(keyId).build();
        Date past = Date.from(Instant.now().minusSeconds(60));

        assertRefusedAsAWrongKey(
                admin,
                Map.of(
                        "alg none",
                        new PlainJWT(claims).serialize(),
                        "another key of the same name",
                        FakeTokenIssuer.sign(header, claims, FakeTokenIssuer.key(keyId)),
                        "over",
                        issuer.token(
                                change -> change.claim("tenant", tenant.name()).expirationTime(past))));
    }

    /**
     * Fails unless the response to each token is identical to the response to a wrong key.
     *
     * @param tokens invalid tokens, by the reason why they are invalid
     */
    static void assertRefusedAsAWrongKey(RestClient api, Map<String, String> tokens) {
        String expected = api.withKey("sp_nothing").get(RestClient.EXECUTIONS).text();
        tokens.forEach((what, token) -> {
            RestResponse answer = api.withKey(token).get(RestClient.EXECUTIONS);
            assertThat(answer.status()).as(what).isEqualTo(401);
            assertThat(answer.problemType()).as(what).isEqualTo("unauthorized");
            assertThat(answer.text()).as(what).isEqualTo(expected);
        });
    }

    @Test
    void tokenOutsideTheAuthorizationHeaderIsRefused() {
        String token = tenant.token("alice", "submitters");
        RestClient nobody = admin.withoutKey();
        for (String place : List.of("access_token", "token", "jwt", "api_key", "key")) {
            assertThat(nobody.get(RestClient.EXECUTIONS + "?" + place + "=" + token)
                            .status())
                    .isEqualTo(401);
        }
        assertThat(nobody.send(nobody.request(RestClient.EXECUTIONS).header("X-API-Key", token))
                        .status())
                .isEqualTo(401);
        assertThat(nobody.send(nobody.request("/console/session")
                                .header("Content-Type", "application/json")
                                .POST(RestClient.body("{\"key\":\"" + token + "\"}")))
                        .status())
                .isEqualTo(401);
    }

    @Test
    void agentsUseTokensAndTheAuditLogNamesTheirSubjects() {
        String token = tenant.token("agent-7", "submitters");
        try (McpTestClient agent = McpTestClient.withoutElicitation(server, token)) {
            assertThat(agent.call("run_script", "{\"code\": \"return 7\"}")
                            .expectSuccess()
                            .content()
                            .toString())
                    .contains("7");
            String id = admin.withKey(token).submit(SubmissionBody.javascript("while (true) await sleep(1000)"));
            agent.call("cancel_execution", "{\"id\": \"" + id + "\"}").expectSuccess();

            List<JsonNode> entries = findAuditEntries(admin, "object=" + id);
            assertThat(entries).hasSize(1);
            assertThat(entries.get(0).path("actor").asText()).isEqualTo(callerId("agent-7"));
            assertThat(entries.get(0).path("channel").asText()).isEqualTo("mcp");
            assertThat(entries.get(0).path("action").asText()).isEqualTo("execution.cancel");
        }
        RestClient rest = clientWithToken(tenant, "rest-7", "submitters");
        String id = rest.submit(SubmissionBody.javascript("while (true) await sleep(1000)"));
        rest.cancel(id).expectStatus(202);
        assertThat(findAuditEntries(admin, "actor=" + callerId("rest-7")))
                .extracting(entry -> entry.path("object").asText())
                .containsExactly(id);
    }

    @Test
    void agentSessionIsUsableOnlyByItsSubject() {
        RestClient alice = clientWithToken(tenant, "alice", "submitters");
        String initialize = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
                + "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";
        String session = alice.send(alice.request("/mcp")
                        .header("Accept", "application/json, text/event-stream")
                        .header("Content-Type", "application/json")
                        .POST(RestClient.body(initialize)))
                .expectStatus(200)
                .header("Mcp-Session-Id");
        String list = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}";
        for (Map.Entry<RestClient, Integer> each : Map.of(
                        clientWithToken(tenant, "alice", "submitters"), 200,
                        clientWithToken(tenant, "bob", "submitters"), 404,
                        clientWithToken(otherTenant, "alice", "submitters"), 404)
                .entrySet()) {
            RestResponse answer = each.getKey()
                    .send(each.getKey()
                            .request("/mcp")
                            .header("Accept", "application/json, text/event-stream")
                            .header("Content-Type", "application/json")
                            .header("Mcp-Session-Id", session)
                            .POST(RestClient.body(list)));
            assertThat(answer.status()).isEqualTo(each.getValue());
        }
    }

    @Test
    void submitterCannotApproveItsOwnCallWithAnyToken() {
        RestClient alice = clientWithToken(tenant, "alice", "submitters", "approvers");
        String id = alice.submit(
                SubmissionBody.javascript("return await demo.send_mail({ to: 'ada', subject: 's', body: 'b' })")
                        .grants("demo.*"));
        String approval = Await.untilPresent("an approval of " + id, Duration.ofSeconds(60), () -> {
            for (JsonNode each :
                    alice.get("/api/v1/approvals").expectStatus(200).json().path("items")) {
                if (each.path("execution").asText().equals(id)) {
                    return Optional.of(each.path("id").asText());
                }
            }
            return Optional.empty();
        });
        String path = "/api/v1/approvals/" + approval + "/approve";

        assertThat(clientWithToken(tenant, "alice", "approvers")
                        .post(path, "{}")
                        .problemType())
                .isEqualTo("forbidden");
        assertThat(clientWithToken(otherTenant, "carol", "approvers")
                        .post(path, "{}")
                        .problemType())
                .isEqualTo("not-found");
        clientWithToken(tenant, "bob", "approvers").post(path, "{}").expectStatus(200);
        assertThat(alice.awaitEnd(id).path("state").asText()).isEqualTo("COMPLETED");
        assertThat(findAuditEntries(admin, "object=" + approval + "&action=approval.approve"))
                .extracting(entry -> entry.path("actor").asText())
                .contains(callerId("bob"));
    }

    @Test
    void tokensCannotOwnSchedules() {
        RestClient alice = clientWithToken(tenant, "alice", "submitters");
        String schedule = "{\"name\": \"by-token\", \"everyMillis\": 3600000, \"run\": {\"code\": \"return 1\"}}";
        assertThat(alice.post("/api/v1/schedules", schedule).problemType()).isEqualTo("forbidden");
        String id = admin.post("/api/v1/schedules", schedule)
                .expectStatus(201)
                .json()
                .path("id")
                .asText();

        String path = "/api/v1/schedules/" + id;
        alice.post(path + "/pause", "{}").expectStatus(200);
        assertThat(alice.send(alice.request(path + "/resume").POST(RestClient.body("")))
                        .problemType())
                .isEqualTo("forbidden");
        assertThat(alice.send(alice.request(path)
                                .header("Content-Type", "application/json")
                                .PUT(RestClient.body(schedule)))
                        .problemType())
                .isEqualTo("forbidden");
        assertThat(alice.send(alice.request(path + "/run").POST(RestClient.body("")))
                        .status())
                .isIn(200, 202);
        alice.send(alice.request(path).DELETE()).expectStatus(204);
    }

    @Test
    void blockedSubjectLosesAccessAndStreamsWithinSeconds() {
        OpenApiResponseValidator description = OpenApiResponseValidator.of(admin);
        RestClient mallory = clientWithToken(tenant, "mallory", "submitters");
        String id = mallory.submit(SubmissionBody.javascript("while (true) await sleep(1000)"));
        RestClient theirs = clientWithToken(otherTenant, "mallory", "submitters");
        try (EventStreamClient events =
                EventStreamClient.of(mallory.request(RestClient.EXECUTIONS + "/" + id + "/events"))) {
            assertThat(events.status()).isEqualTo(200);
            RestResponse blocked = admin.post(
                            BLOCKED_SUBJECTS,
                            "{\"issuer\":\"" + ISSUER + "\",\"subject\":\"mallory\",\"reason\":\"has left\"}")
                    .expectStatus(201);
            assertThat(description.validate("POST", BLOCKED_SUBJECTS, blocked)).isEmpty();
            Await.until(
                    "he is out",
                    TIMEOUT,
                    () -> mallory.get(RestClient.EXECUTIONS).status() == 401);
            // The server must end this stream. Otherwise the call would not return.
            events.readUntil(event -> false);

            assertThat(theirs.get(RestClient.EXECUTIONS).status()).isEqualTo(200);
            assertThat(clientWithToken(tenant, "mallory2", "submitters")
                            .get(RestClient.EXECUTIONS)
                            .status())
                    .isEqualTo(200);
            RestResponse list = admin.get(BLOCKED_SUBJECTS).expectStatus(200);
            assertThat(description.validate("GET", BLOCKED_SUBJECTS, list)).isEmpty();
            assertThat(list.text()).contains("mallory", "has left");
            assertThat(clientWithToken(otherTenant, "root", "admins")
                            .get(BLOCKED_SUBJECTS)
                            .expectStatus(200)
                            .text())
                    .doesNotContain("mallory");
            String entry = BLOCKED_SUBJECTS + "/" + blocked.json().path("id").asText();
            RestClient foreign = clientWithToken(otherTenant, "root", "admins");
            assertThat(foreign.send(foreign.request(entry).DELETE()).problemType())
                    .isEqualTo("not-found");
            assertThat(findAuditEntries(admin, "actor=" + callerId("mallory") + "&action=token.use"))
                    .isNotEmpty()
                    .allSatisfy(refusal -> {
                        assertThat(refusal.path("result").asText()).isEqualTo("refused");
                        assertThat(refusal.path("status").asInt()).isEqualTo(401);
                        assertThat(refusal.path("note").asText()).startsWith("blocked");
                    });
            assertThat(findAuditEntries(
                            admin,
                            "action=subject.block&object="
                                    + blocked.json().path("id").asText()))
                    .hasSize(1);

            admin.send(admin.request(entry).DELETE()).expectStatus(204);
            Await.until(
                    "he is in",
                    TIMEOUT,
                    () -> mallory.get(RestClient.EXECUTIONS).status() == 200);
        } finally {
            admin.cancel(id);
        }
    }

    @Test
    void onlyValidSubjectsCanBeBlocked() {
        for (String bad : List.of(
                "{}",
                "{\"issuer\":\"https://id.example\",\"subject\":\"x\"}",
                "{\"issuer\":\"" + ISSUER + "/\",\"subject\":\"x\"}",
                "{\"issuer\":\"" + ISSUER + "\",\"subject\":\"\"}",
                "{\"issuer\":\"" + ISSUER + "\",\"subject\":\"a\\nb\"}",
                "{\"issuer\":\"" + ISSUER + "\",\"subject\":7}",
                "{\"issuer\":\"" + ISSUER + "\",\"subject\":\"x\",\"tenant\":\"" + otherTenant.name() + "\"}")) {
            assertThat(admin.post(BLOCKED_SUBJECTS, bad).problemType()).as(bad).isEqualTo("validation");
        }
        assertThat(clientWithToken(tenant, "ops", "operators")
                        .get(BLOCKED_SUBJECTS)
                        .status())
                .isEqualTo(403);
    }
}
