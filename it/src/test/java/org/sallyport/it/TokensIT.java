package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
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
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Callers who come with tokens of an issuer: what they may, what not, and tokens that are not what they seem. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TokensIT {
    private static final String BLOCKED = "/api/v1/blocked-subjects";
    private static final String AUDIT = "/api/v1/audit?limit=200&";
    private static final Duration SOON = Duration.ofSeconds(30);

    private final Issuer issuer = new Issuer();
    private final SallyportServer server = ServerSetup.fresh("tokens")
            .with("sallyport.jwt.issuers", issuer.url())
            .with("sallyport.jwt.audiences", Issuer.AUDIENCE)
            .with("sallyport.jwt.tenants", "default,acme")
            .with("sallyport.jwt.roles-claim", "groups")
            .with(
                    "sallyport.jwt.roles",
                    "engineers=submitter,approvers=approver,ops=operator,admins=admin,auditors=auditor")
            .with("sallyport.jwt.skew-millis", "1000")
            .with("sallyport.jwt.keys-pause-millis", "2000")
            .launch();

    private Api admin = server.api();

    @BeforeAll
    void begin() {
        server.awaitReady();
        admin = server.api();
    }

    @AfterAll
    void end() {
        server.close();
        issuer.close();
    }

    private Api bearer(String subject, String tenant, String... groups) {
        return admin.as(issuer.token(subject, tenant, groups));
    }

    private String caller(String subject) {
        return "jwt:" + subject + "@" + issuer.url();
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
        Api alice = bearer("alice", "default", "engineers");

        assertThat(alice.run(Submission.javascript("return 6 * 7"))
                        .path("result")
                        .asInt())
                .isEqualTo(42);
        String id = alice.submit(Submission.javascript("return 'later'"));
        assertThat(alice.awaitEnd(id).path("result").asText()).isEqualTo("later");
        assertThat(issuer.fetches()).isPositive();
    }

    @Test
    void rolesAreWhatTheGroupsAreWorth() {
        String body = Submission.javascript("return 1").json();
        assertThat(bearer("eve", "default", "auditors")
                        .post(Api.EXECUTIONS, body)
                        .problem())
                .isEqualTo("forbidden");
        assertThat(bearer("eve", "default", "admin", "submitter", "Engineers")
                        .post(Api.EXECUTIONS, body)
                        .status())
                .isEqualTo(403);
        assertThat(bearer("eve", "default").get(Api.EXECUTIONS).status()).isEqualTo(403);
        assertThat(bearer("alice", "default", "engineers")
                        .get("/api/v1/api-keys")
                        .status())
                .isEqualTo(403);
        assertThat(bearer("root", "default", "admins").get("/api/v1/api-keys").status())
                .isEqualTo(200);
        assertThat(bearer("eve", "default", "auditors").get(AUDIT).status()).isEqualTo(200);
    }

    @Test
    void anotherTenantsObjectsAreNotThere() {
        Api ours = bearer("alice", "default", "engineers", "admins");
        Api theirs = bearer("alice", "acme", "engineers", "admins");
        String our = ours.run(Submission.javascript("return 'ours'")).path("id").asText();
        String their =
                theirs.run(Submission.javascript("return 'theirs'")).path("id").asText();

        for (String part : List.of("", "/code", "/trace", "/journal", "/why")) {
            assertThat(theirs.get(Api.EXECUTIONS + "/" + our + part).problem()).isEqualTo("not-found");
            assertThat(ours.get(Api.EXECUTIONS + "/" + their + part).problem()).isEqualTo("not-found");
        }
        assertThat(theirs.cancel(our).problem()).isEqualTo("not-found");
        assertThat(theirs.ids()).contains(their).doesNotContain(our);
        assertThat(bearer("alice", "globex", "engineers").get(Api.EXECUTIONS).status())
                .isEqualTo(401);
    }

    @Test
    void noHostileTokenIsTakenAndNoneIsToldWhy() throws JOSEException {
        RSAKey forged = Issuer.key(issuer.key().getKeyID());
        JWTClaimsSet root = issuer.claims(claims -> claims.claim("groups", List.of("admins")));
        JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.RS256)
                .keyID(issuer.key().getKeyID())
                .build();
        Map<String, String> tokens = new LinkedHashMap<>();
        tokens.put("alg none", new PlainJWT(root).serialize());
        tokens.put("another key of the same name", Issuer.sign(header, root, forged));
        SignedJWT confused = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.HS256)
                        .keyID(issuer.key().getKeyID())
                        .build(),
                root);
        confused.sign(new MACSigner(issuer.key().toPublicKey().getEncoded()));
        tokens.put("HS256 with the public key", confused.serialize());
        for (String kid : List.of("../../../dev/null", "' or 1=1 --", "http://127.0.0.1:1/keys")) {
            tokens.put(
                    "kid " + kid,
                    Issuer.sign(
                            new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(kid).build(), root, forged));
        }
        int fetches;
        try (Issuer thief = new Issuer()) {
            URI keys = URI.create(thief.url() + "/keys");
            tokens.put(
                    "jku",
                    Issuer.sign(new JWSHeader.Builder(header).jwkURL(keys).build(), root, thief.key()));
            tokens.put(
                    "x5u",
                    Issuer.sign(new JWSHeader.Builder(header).x509CertURL(keys).build(), root, thief.key()));
            tokens.put(
                    "jwk",
                    Issuer.sign(
                            new JWSHeader.Builder(header)
                                    .jwk(thief.key().toPublicJWK())
                                    .build(),
                            root,
                            thief.key()));
            tokens.put("another issuer", thief.token("alice", "default", "admins"));
            Instant now = Instant.now();
            tokens.put("wrong iss", issuer.token(claims -> claims.issuer("https://id.example")));
            tokens.put("wrong aud", issuer.token(claims -> claims.audience("else")));
            tokens.put("no aud", issuer.token(claims -> claims.audience((String) null)));
            tokens.put("over", issuer.token(claims -> claims.expirationTime(Date.from(now.minusSeconds(60)))));
            tokens.put("not yet", issuer.token(claims -> claims.notBeforeTime(Date.from(now.plusSeconds(60)))));
            tokens.put("no exp", issuer.token(claims -> claims.expirationTime(null)));
            tokens.put("for ever", issuer.token(claims -> claims.expirationTime(new Date(32503680000000L))));
            tokens.put("no sub", issuer.token(claims -> claims.subject(null)));
            tokens.put("groups as text", issuer.token(claims -> claims.claim("groups", "admins")));
            tokens.put("no tenant", issuer.token(claims -> claims.claim("tenant", null)));
            tokens.put("an ID token", issuer.token(claims -> claims.claim("nonce", "n")));
            tokens.put("huge", issuer.token(claims -> claims.claim("x", "x".repeat(7_000))));
            tokens.put("claims twice", twice(issuer.key()));
            tokens.put("nothing", "a.b.c");

            String expected = admin.as("sp_nothing").get(Api.EXECUTIONS).text();
            tokens.forEach((what, token) -> {
                Answer answer = admin.as(token).get(Api.EXECUTIONS);
                assertThat(answer.status()).as(what).isEqualTo(401);
                assertThat(answer.problem()).as(what).isEqualTo("unauthorized");
                assertThat(answer.text()).as(what).isEqualTo(expected);
            });
            // Not all of them: whoever sends so many wrong ones is slowed down.
            Set<String> atTheDoor = Set.of("alg none", "HS256 with the public key", "over", "groups as text");
            tokens.forEach((what, token) -> {
                if (atTheDoor.contains(what)) {
                    assertThat(admin.as(token).post("/mcp", "{}").status())
                            .as(what)
                            .isEqualTo(401);
                }
            });
            fetches = thief.fetches();
        }
        assertThat(fetches).isZero();
        assertThat(server.logText())
                .contains("a token was refused: algorithm", "a token was refused: expired")
                .doesNotContain(tokens.get("alg none"), "dev/null");
    }

    private String twice(RSAKey key) {
        String claims = issuer.claims(change -> {}).toString();
        Base64URL body = Base64URL.encode(claims.substring(0, claims.length() - 1) + ",\"groups\":[\"admins\"]}");
        Base64URL head = Base64URL.encode("{\"alg\":\"RS256\",\"kid\":\"" + key.getKeyID() + "\"}");
        try {
            return head + "." + body + "."
                    + new com.nimbusds.jose.crypto.RSASSASigner(key)
                            .sign(
                                    new JWSHeader(JWSAlgorithm.RS256),
                                    (head + "." + body).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aTokenInAnotherPlaceIsNone() {
        String token = issuer.token("alice", "default", "engineers");
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
        String token = issuer.token("agent-7", "default", "engineers");
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
        Api rest = bearer("rest-7", "default", "engineers");
        String id = rest.submit(Submission.javascript("while (true) await sleep(1000)"));
        rest.cancel(id).expect(202);
        assertThat(log(admin, "actor=" + caller("rest-7")))
                .extracting(entry -> entry.path("object").asText())
                .containsExactly(id);
    }

    @Test
    void aSessionOfAnAgentIsForItsSubjectAlone() {
        Api alice = bearer("alice", "default", "engineers");
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
                        bearer("alice", "default", "engineers"), 200,
                        bearer("bob", "default", "engineers"), 404,
                        bearer("alice", "acme", "engineers"), 404)
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
        Api alice = bearer("alice", "default", "engineers", "approvers");
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

        assertThat(bearer("alice", "default", "approvers").post(path, "{}").problem())
                .isEqualTo("forbidden");
        assertThat(bearer("carol", "acme", "approvers").post(path, "{}").problem())
                .isEqualTo("not-found");
        bearer("bob", "default", "approvers").post(path, "{}").expect(200);
        assertThat(alice.awaitEnd(id).path("state").asText()).isEqualTo("COMPLETED");
        assertThat(log(admin, "object=" + approval + "&action=approval.approve"))
                .extracting(entry -> entry.path("actor").asText())
                .contains(caller("bob"));
    }

    @Test
    void aSchedulesOwnerIsAKey() {
        Api alice = bearer("alice", "default", "engineers");
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
        Api mallory = bearer("mallory", "default", "engineers");
        String id = mallory.submit(Submission.javascript("while (true) await sleep(1000)"));
        Api theirs = bearer("mallory", "acme", "engineers");
        try (Events events = Events.of(mallory.request(Api.EXECUTIONS + "/" + id + "/events"))) {
            assertThat(events.status()).isEqualTo(200);
            Answer blocked = admin.post(
                            BLOCKED,
                            "{\"issuer\":\"" + issuer.url() + "\",\"subject\":\"mallory\",\"reason\":\"has left\"}")
                    .expect(201);
            assertThat(description.faults("POST", BLOCKED, blocked)).isEmpty();
            Await.until("he is out", SOON, () -> mallory.get(Api.EXECUTIONS).status() == 401);
            // It ends by itself, or this would not return.
            events.until(event -> false);

            assertThat(theirs.get(Api.EXECUTIONS).status()).isEqualTo(200);
            assertThat(bearer("mallory2", "default", "engineers")
                            .get(Api.EXECUTIONS)
                            .status())
                    .isEqualTo(200);
            Answer list = admin.get(BLOCKED).expect(200);
            assertThat(description.faults("GET", BLOCKED, list)).isEmpty();
            assertThat(list.text()).contains("mallory", "has left");
            assertThat(bearer("root", "acme", "admins").get(BLOCKED).expect(200).text())
                    .doesNotContain("mallory");
            String entry = BLOCKED + "/" + blocked.json().path("id").asText();
            Api foreign = bearer("root", "acme", "admins");
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
        }
        admin.cancel(id);
    }

    @Test
    void onlyASubjectThatThereCanBeIsBlocked() {
        for (String bad : List.of(
                "{}",
                "{\"issuer\":\"https://id.example\",\"subject\":\"x\"}",
                "{\"issuer\":\"" + issuer.url() + "/\",\"subject\":\"x\"}",
                "{\"issuer\":\"" + issuer.url() + "\",\"subject\":\"\"}",
                "{\"issuer\":\"" + issuer.url() + "\",\"subject\":\"a\\nb\"}",
                "{\"issuer\":\"" + issuer.url() + "\",\"subject\":7}",
                "{\"issuer\":\"" + issuer.url() + "\",\"subject\":\"x\",\"tenant\":\"acme\"}")) {
            assertThat(admin.post(BLOCKED, bad).problem()).as(bad).isEqualTo("validation");
        }
        assertThat(bearer("ops", "default", "ops").get(BLOCKED).status()).isEqualTo(403);
    }

    @Test
    void aStreamEndsWithItsToken() {
        Api shortly = admin.as(issuer.token(claims ->
                claims.subject("short").expirationTime(Date.from(Instant.now().plusSeconds(12)))));
        String id = shortly.submit(Submission.javascript("while (true) await sleep(1000)"));
        try (Events events = Events.of(shortly.request(Api.EXECUTIONS + "/" + id + "/events"))) {
            assertThat(events.status()).isEqualTo(200);
            events.until(event -> false);
        }
        assertThat(admin.execution(id).path("state").asText()).isIn("RUNNING", "PENDING", "WAITING");
        assertThat(shortly.get(Api.EXECUTIONS).status()).isEqualTo(401);
        admin.cancel(id);
    }

    @Test
    void aRotatedKeyIsTakenAndTheOneBeforeIsNot() {
        String before = issuer.token("rotated", "default", "engineers");
        assertThat(admin.as(before).get(Api.EXECUTIONS).status()).isEqualTo(200);
        issuer.rotate("after-" + issuer.fetches());
        Await.until(
                "the new key is known",
                Duration.ofSeconds(60),
                () -> bearer("rotated", "default", "engineers")
                                .get(Api.EXECUTIONS)
                                .status()
                        == 200);

        // Slowed down, where the other tests have sent many wrong ones already.
        assertThat(admin.as(before).get(Api.EXECUTIONS).status()).isIn(401, 429);
    }
}
