package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.EventStreamClient;
import org.sallyport.it.harness.FakeTokenIssuer;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Which tokens the service accepts, and for how long. The test has a server of its own: the issuer rotates its key, a
 * token expires within seconds, and the service slows down an address that sends many wrong tokens.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TokenValidityIT {
    private final FakeTokenIssuer issuer = new FakeTokenIssuer();
    private final SallyportServer server = ServerSetup.create("tokens")
            .with("sallyport.jwt.issuers", issuer.url())
            .with("sallyport.jwt.audiences", FakeTokenIssuer.AUDIENCE)
            .with("sallyport.jwt.roles-claim", "groups")
            .with("sallyport.jwt.roles", "engineers=submitter,admins=admin")
            .with("sallyport.jwt.clock-skew-millis", "1000")
            .with("sallyport.jwt.jwks-min-refetch-millis", "2000")
            .launch();

    private RestClient admin = server.api();

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

    @Test
    void hostileTokensAreRefusedWithoutARevealingReason() throws JOSEException {
        RSAKey forged = FakeTokenIssuer.key(issuer.key().getKeyID());
        JWTClaimsSet root = issuer.claims(claims -> claims.claim("groups", List.of("admins")));
        JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.RS256)
                .keyID(issuer.key().getKeyID())
                .build();
        Map<String, String> tokens = new LinkedHashMap<>();
        tokens.put("alg none", new PlainJWT(root).serialize());
        tokens.put("another key of the same name", FakeTokenIssuer.sign(header, root, forged));
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
                    FakeTokenIssuer.sign(
                            new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(kid).build(), root, forged));
        }
        int fetches;
        try (FakeTokenIssuer thief = new FakeTokenIssuer()) {
            URI keys = URI.create(thief.url() + "/keys");
            tokens.put(
                    "jku",
                    FakeTokenIssuer.sign(
                            new JWSHeader.Builder(header).jwkURL(keys).build(), root, thief.key()));
            tokens.put(
                    "x5u",
                    FakeTokenIssuer.sign(
                            new JWSHeader.Builder(header).x509CertURL(keys).build(), root, thief.key()));
            tokens.put(
                    "jwk",
                    FakeTokenIssuer.sign(
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
            tokens.put("exp null", tokenWithNullExpiration(issuer.key()));
            tokens.put("for ever", issuer.token(claims -> claims.expirationTime(new Date(32503680000000L))));
            tokens.put("no sub", issuer.token(claims -> claims.subject(null)));
            tokens.put("groups as text", issuer.token(claims -> claims.claim("groups", "admins")));
            tokens.put("no tenant", issuer.token(claims -> claims.claim("tenant", null)));
            tokens.put("an ID token", issuer.token(claims -> claims.claim("nonce", "n")));
            tokens.put("huge", issuer.token(claims -> claims.claim("x", "x".repeat(7_000))));
            tokens.put("claims twice", tokenWithDuplicateClaim(issuer.key()));
            tokens.put("nothing", "a.b.c");

            TokenAuthenticationIT.assertRefusedAsAWrongKey(admin, tokens);
            // Sends only some of them, because the service slows down an address that sends many wrong tokens.
            Set<String> atTheDoor = Set.of("alg none", "HS256 with the public key", "over", "groups as text");
            tokens.forEach((what, token) -> {
                if (atTheDoor.contains(what)) {
                    assertThat(admin.withKey(token).post("/mcp", "{}").status())
                            .as(what)
                            .isEqualTo(401);
                }
            });
            fetches = thief.keyFetches();
        }
        assertThat(fetches).isZero();
        assertThat(server.logText())
                .contains("a token was refused: algorithm", "a token was refused: expired")
                .doesNotContain(tokens.get("alg none"), "dev/null");
    }

    private String tokenWithDuplicateClaim(RSAKey key) {
        String claims = issuer.claims(change -> {}).toString();
        return sign(claims.substring(0, claims.length() - 1) + ",\"groups\":[\"admins\"]}", key);
    }

    private String tokenWithNullExpiration(RSAKey key) {
        String claims = issuer.claims(change -> {}).toString();
        return sign(claims.replaceFirst("\"exp\":[0-9]+", "\"exp\":null"), key);
    }

    /** Signs claims that the library does not build. */
    private static String sign(String claims, RSAKey key) {
        Base64URL body = Base64URL.encode(claims);
        Base64URL head = Base64URL.encode("{\"alg\":\"RS256\",\"kid\":\"" + key.getKeyID() + "\"}");
        try {
            return head + "." + body + "."
                    + new RSASSASigner(key)
                            .sign(
                                    new JWSHeader(JWSAlgorithm.RS256),
                                    (head + "." + body).getBytes(StandardCharsets.US_ASCII));
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void streamEndsWhenItsTokenExpires() {
        RestClient shortly = admin.withKey(issuer.token(claims ->
                claims.subject("short").expirationTime(Date.from(Instant.now().plusSeconds(12)))));
        String id = shortly.submit(SubmissionBody.javascript("while (true) await sleep(1000)"));
        try (EventStreamClient events =
                EventStreamClient.of(shortly.request(RestClient.EXECUTIONS + "/" + id + "/events"))) {
            assertThat(events.status()).isEqualTo(200);
            events.readUntil(event -> false);
        }
        assertThat(admin.getExecution(id).path("state").asText()).isIn("RUNNING", "PENDING", "WAITING");
        assertThat(shortly.get(RestClient.EXECUTIONS).status()).isEqualTo(401);
        admin.cancel(id);
    }

    @Test
    void rotatedSigningKeyIsAcceptedAndThePreviousKeyIsNot() {
        String before = rotatedToken();
        assertThat(admin.withKey(before).get(RestClient.EXECUTIONS).status()).isEqualTo(200);
        issuer.rotateKey("after-" + issuer.keyFetches());
        Await.until(
                "the new key is known",
                Duration.ofSeconds(60),
                () -> admin.withKey(rotatedToken()).get(RestClient.EXECUTIONS).status() == 200);

        // 429: the service limits the number of wrong tokens of one address.
        assertThat(admin.withKey(before).get(RestClient.EXECUTIONS).status()).isIn(401, 429);
    }

    private String rotatedToken() {
        return issuer.token("rotated", "default", "engineers");
    }
}
