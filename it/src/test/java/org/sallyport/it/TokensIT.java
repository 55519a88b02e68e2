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
import org.sallyport.it.harness.Agent;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Events;
import org.sallyport.it.harness.Issuer;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.it.harness.Tenant;

/**
 * What callers with a token of an issuer may do, and what they may not. {@link TokenValidityIT} has more tokens that
 * are refused.
 */
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TokensIT {
    private static final String BLOCKED = "/api/v1/blocked-subjects";
    private static final String AUDIT = "/api/v1/audit?limit=200&";
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String ISSUER = Tenant.issuer().url();

    private final SallyportServer server;
    private final Tenant us;
    private final Tenant them;
    private final Api admin;

    TokensIT(SallyportServer server, Tenant us, Tenant them) {
        this.server = server;
        this.us = us;
        this.them = them;
        this.admin = us.api();
    }

    private Api bearer(Tenant tenant, String subject, String... groups) {
        return admin.as(tenant.token(subject, groups));
    }

    private static String caller(String subject) {
        return "jwt:" + subject + "@" + ISSUER;
    }

    private List<JsonNode> log(Api reader, String query) {
        List<JsonNode> entries = new ArrayList<>();
        reader.get(AUDIT + query).expect(200).json().path("items").forEach(entries::add);
        return entries;
    }

    /** Its loader comes before the application's, so that what was compiled against is what runs. */
    @Test
    void theLibraryIsTheOneThatTheServerBrings() throws IOException {
        Path jar = Checkout.serverDirectory().resolve("platform/runtime/nimbus-jose-jwt.jar");
        try (JarInputStream library = new JarInputStream(Files.newInputStream(jar))) {
            assertThat(library.getManifest().getMainAttributes().getValue("Implementation-Version"))
                    .isEqualTo(SignedJWT.class.getPackage().getImplementationVersion());
        }
    }

    @Test
    void whoHasATokenSubmitsAndPolls() {
        Api alice = bearer(us, "alice", "submitters");

        assertThat(alice.run(Submission.javascript("return 6 * 7"))
                        .path("result")
                        .asInt())
                .isEqualTo(42);
        String id = alice.submit(Submission.javascript("return 'later'"));
        assertThat(alice.awaitEnd(id).path("result").asText()).isEqualTo("later");
        assertThat(Tenant.issuer().fetches()).isPositive();
    }

    @Test
    void rolesAreWhatTheGroupsAreWorth() {
        String body = Submission.javascript("return 1").json();
        assertThat(bearer(us, "eve", "auditors").post(Api.EXECUTIONS, body).problem())
                .isEqualTo("forbidden");
        assertThat(bearer(us, "eve", "admin", "submitter", "Submitters")
                        .post(Api.EXECUTIONS, body)
                        .status())
                .isEqualTo(403);
        assertThat(bearer(us, "eve").get(Api.EXECUTIONS).status()).isEqualTo(403);
        assertThat(bearer(us, "alice", "submitters").get("/api/v1/api-keys").status())
                .isEqualTo(403);
        assertThat(bearer(us, "root", "admins").get("/api/v1/api-keys").status())
                .isEqualTo(200);
        assertThat(bearer(us, "eve", "auditors").get(AUDIT).status()).isEqualTo(200);
    }

    @Test
    void anotherTenantsObjectsAreNotThere() {
        Api ours = bearer(us, "alice", "submitters", "admins");
        Api theirs = bearer(them, "alice", "submitters", "admins");
        String our = ours.run(Submission.javascript("return 'ours'")).path("id").asText();
        String their =
                theirs.run(Submission.javascript("return 'theirs'")).path("id").asText();

        for (String part : List.of("", "/code", "/trace", "/journal", "/why")) {
            assertThat(theirs.get(Api.EXECUTIONS + "/" + our + part).problem()).isEqualTo("not-found");
            assertThat(ours.get(Api.EXECUTIONS + "/" + their + part).problem()).isEqualTo("not-found");
        }
        assertThat(theirs.cancel(our).problem()).isEqualTo("not-found");
        assertThat(theirs.ids()).contains(their).doesNotContain(our);
        assertThat(admin.as(Tenant.issuer().token("alice", "globex", "submitters"))
                        .get(Api.EXECUTIONS)
                        .status())
                .isEqualTo(401);
    }

    /** Three of the tokens of {@link TokenValidityIT}. */
    @Test
    void noForgedOrExpiredTokenIsTaken() {
        Issuer issuer = Tenant.issuer();
        String keyId = issuer.key().getKeyID();
        JWTClaimsSet claims =
                issuer.claims(change -> change.claim("tenant", us.name()).claim("groups", List.of("admins")));
        JWSHeader header =
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(keyId).build();
        Date past = Date.from(Instant.now().minusSeconds(60));

        assertRefusedAsAWrongKey(
                admin,
                Map.of(
                        "alg none",
                        new PlainJWT(claims).serialize(),
                        "another key of the same name",
                        Issuer.sign(header, claims, Issuer.key(keyId)),
                        "over",
                        issuer.token(change -> change.claim("tenant", us.name()).expirationTime(past))));
    }

    /**
     * Fails unless each token is answered as a wrong key is, to the letter.
     *
     * @param tokens by what is wrong with them
     */
    static void assertRefusedAsAWrongKey(Api api, Map<String, String> tokens) {
        String expected = api.as("sp_nothing").get(Api.EXECUTIONS).text();
        tokens.forEach((what, token) -> {
            Answer answer = api.as(token).get(Api.EXECUTIONS);
            assertThat(answer.status()).as(what).isEqualTo(401);
            assertThat(answer.problem()).as(what).isEqualTo("unauthorized");
            assertThat(answer.text()).as(what).isEqualTo(expected);
        });
    }

    @Test
    void aTokenInAnotherPlaceIsNone() {
        String token = us.token("alice", "submitters");
        Api nobody = admin.anonymous();
        for (String place : List.of("access_token", "token", "jwt", "api_key", "key")) {
            assertThat(nobody.get(Api.EXECUTIONS + "?" + place + "=" + token).status())
                    .isEqualTo(401);
        }
        assertThat(nobody.send(nobody.request(Api.EXECUTIONS).header("X-API-Key", token))
                        .status())
                .isEqualTo(401);
        assertThat(nobody.send(nobody.request("/console/session")
                                .header("Content-Type", "application/json")
                                .POST(Api.body("{\"key\":\"" + token + "\"}")))
                        .status())
                .isEqualTo(401);
    }

    @Test
    void agentsComeWithTokensAndTheLogNamesTheirSubjects() {
        String token = us.token("agent-7", "submitters");
        try (Agent agent = Agent.alone(server, token)) {
            assertThat(agent.call("run_script", "{\"code\": \"return 7\"}")
                            .ok()
                            .content()
                            .toString())
                    .contains("7");
            String id = admin.as(token).submit(Submission.javascript("while (true) await sleep(1000)"));
            agent.call("cancel_execution", "{\"id\": \"" + id + "\"}").ok();

            List<JsonNode> entries = log(admin, "object=" + id);
            assertThat(entries).hasSize(1);
            assertThat(entries.get(0).path("actor").asText()).isEqualTo(caller("agent-7"));
            assertThat(entries.get(0).path("door").asText()).isEqualTo("mcp");
            assertThat(entries.get(0).path("action").asText()).isEqualTo("execution.cancel");
        }
        Api rest = bearer(us, "rest-7", "submitters");
        String id = rest.submit(Submission.javascript("while (true) await sleep(1000)"));
        rest.cancel(id).expect(202);
        assertThat(log(admin, "actor=" + caller("rest-7")))
                .extracting(entry -> entry.path("object").asText())
                .containsExactly(id);
    }

    @Test
    void aSessionOfAnAgentIsForItsSubjectAlone() {
        Api alice = bearer(us, "alice", "submitters");
        String initialize = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
                + "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";
        String session = alice.send(alice.request("/mcp")
                        .header("Accept", "application/json, text/event-stream")
                        .header("Content-Type", "application/json")
                        .POST(Api.body(initialize)))
                .expect(200)
                .header("Mcp-Session-Id");
        String list = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}";
        for (Map.Entry<Api, Integer> each : Map.of(
                        bearer(us, "alice", "submitters"), 200,
                        bearer(us, "bob", "submitters"), 404,
                        bearer(them, "alice", "submitters"), 404)
                .entrySet()) {
            Answer answer = each.getKey()
                    .send(each.getKey()
                            .request("/mcp")
                            .header("Accept", "application/json, text/event-stream")
                            .header("Content-Type", "application/json")
                            .header("Mcp-Session-Id", session)
                            .POST(Api.body(list)));
            assertThat(answer.status()).isEqualTo(each.getValue());
        }
    }

    @Test
    void nobodyApprovesWhatHeSubmittedWithWhateverToken() {
        Api alice = bearer(us, "alice", "submitters", "approvers");
        String id = alice.submit(
                Submission.javascript("return await demo.send_mail({ to: 'ada', subject: 's', body: 'b' })")
                        .grants("demo.*"));
        String approval = Await.value("an approval of " + id, Duration.ofSeconds(60), () -> {
            for (JsonNode each :
                    alice.get("/api/v1/approvals").expect(200).json().path("items")) {
                if (each.path("execution").asText().equals(id)) {
                    return Optional.of(each.path("id").asText());
                }
            }
            return Optional.empty();
        });
        String path = "/api/v1/approvals/" + approval + "/approve";

        assertThat(bearer(us, "alice", "approvers").post(path, "{}").problem()).isEqualTo("forbidden");
        assertThat(bearer(them, "carol", "approvers").post(path, "{}").problem())
                .isEqualTo("not-found");
        bearer(us, "bob", "approvers").post(path, "{}").expect(200);
        assertThat(alice.awaitEnd(id).path("state").asText()).isEqualTo("COMPLETED");
        assertThat(log(admin, "object=" + approval + "&action=approval.approve"))
                .extracting(entry -> entry.path("actor").asText())
                .contains(caller("bob"));
    }

    @Test
    void aSchedulesOwnerIsAKey() {
        Api alice = bearer(us, "alice", "submitters");
        String schedule = "{\"name\": \"by-token\", \"everyMillis\": 3600000, \"run\": {\"code\": \"return 1\"}}";
        assertThat(alice.post("/api/v1/schedules", schedule).problem()).isEqualTo("forbidden");
        String id = admin.post("/api/v1/schedules", schedule)
                .expect(201)
                .json()
                .path("id")
                .asText();

        String path = "/api/v1/schedules/" + id;
        alice.post(path + "/pause", "{}").expect(200);
        assertThat(alice.send(alice.request(path + "/resume").POST(Api.body("")))
                        .problem())
                .isEqualTo("forbidden");
        assertThat(alice.send(alice.request(path)
                                .header("Content-Type", "application/json")
                                .PUT(Api.body(schedule)))
                        .problem())
                .isEqualTo("forbidden");
        assertThat(alice.send(alice.request(path + "/run").POST(Api.body(""))).status())
                .isIn(200, 202);
        alice.send(alice.request(path).DELETE()).expect(204);
    }

    @Test
    void aBlockedSubjectIsOutWithinSecondsAndSoAreHisStreams() {
        Description description = Description.of(admin);
        Api mallory = bearer(us, "mallory", "submitters");
        String id = mallory.submit(Submission.javascript("while (true) await sleep(1000)"));
        Api theirs = bearer(them, "mallory", "submitters");
        try (Events events = Events.of(mallory.request(Api.EXECUTIONS + "/" + id + "/events"))) {
            assertThat(events.status()).isEqualTo(200);
            Answer blocked = admin.post(
                            BLOCKED, "{\"issuer\":\"" + ISSUER + "\",\"subject\":\"mallory\",\"reason\":\"has left\"}")
                    .expect(201);
            assertThat(description.faults("POST", BLOCKED, blocked)).isEmpty();
            Await.until("he is out", SOON, () -> mallory.get(Api.EXECUTIONS).status() == 401);
            // It ends by itself, or this would not return.
            events.until(event -> false);

            assertThat(theirs.get(Api.EXECUTIONS).status()).isEqualTo(200);
            assertThat(bearer(us, "mallory2", "submitters").get(Api.EXECUTIONS).status())
                    .isEqualTo(200);
            Answer list = admin.get(BLOCKED).expect(200);
            assertThat(description.faults("GET", BLOCKED, list)).isEmpty();
            assertThat(list.text()).contains("mallory", "has left");
            assertThat(bearer(them, "root", "admins").get(BLOCKED).expect(200).text())
                    .doesNotContain("mallory");
            String entry = BLOCKED + "/" + blocked.json().path("id").asText();
            Api foreign = bearer(them, "root", "admins");
            assertThat(foreign.send(foreign.request(entry).DELETE()).problem()).isEqualTo("not-found");
            assertThat(log(admin, "actor=" + caller("mallory") + "&action=token.use"))
                    .isNotEmpty()
                    .allSatisfy(refusal -> {
                        assertThat(refusal.path("result").asText()).isEqualTo("refused");
                        assertThat(refusal.path("status").asInt()).isEqualTo(401);
                        assertThat(refusal.path("note").asText()).startsWith("blocked");
                    });
            assertThat(log(admin, "action=subject.block")).hasSize(1);

            admin.send(admin.request(entry).DELETE()).expect(204);
            Await.until("he is in", SOON, () -> mallory.get(Api.EXECUTIONS).status() == 200);
        } finally {
            admin.cancel(id);
        }
    }

    @Test
    void onlyASubjectThatThereCanBeIsBlocked() {
        for (String bad : List.of(
                "{}",
                "{\"issuer\":\"https://id.example\",\"subject\":\"x\"}",
                "{\"issuer\":\"" + ISSUER + "/\",\"subject\":\"x\"}",
                "{\"issuer\":\"" + ISSUER + "\",\"subject\":\"\"}",
                "{\"issuer\":\"" + ISSUER + "\",\"subject\":\"a\\nb\"}",
                "{\"issuer\":\"" + ISSUER + "\",\"subject\":7}",
                "{\"issuer\":\"" + ISSUER + "\",\"subject\":\"x\",\"tenant\":\"" + them.name() + "\"}")) {
            assertThat(admin.post(BLOCKED, bad).problem()).as(bad).isEqualTo("validation");
        }
        assertThat(bearer(us, "ops", "operators").get(BLOCKED).status()).isEqualTo(403);
    }
}
