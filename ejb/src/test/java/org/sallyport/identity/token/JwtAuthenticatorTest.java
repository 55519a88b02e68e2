package org.sallyport.identity.token;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.auth.BlockedSubject;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.Caller;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;

/** Tokens of an issuer with real keys, valid and hostile. */
class JwtAuthenticatorTest {
    private static RSAKey rsa = TestIssuer.rsa("r1");
    private static ECKey ec = TestIssuer.ec("e1");
    private static RSAKey strangers = TestIssuer.rsa("r1");

    private final SettableClock clock = new SettableClock();
    private final BlockedSubjectCache blocked =
            new BlockedSubjectCache(new InMemoryBlockedSubjectStore(), UUID::randomUUID, clock, Duration.ofSeconds(2));
    private final ExecutorService background = Executors.newSingleThreadExecutor();
    private final TestIssuer issuer = new TestIssuer();
    private final Map<String, String> settings = new HashMap<>();
    private JwtAuthenticator tokens = open();

    @BeforeAll
    static void keysDiffer() throws JOSEException {
        assertThat(rsa.toPublicKey()).isNotEqualTo(strangers.toPublicKey());
    }

    @BeforeEach
    void begin() {
        issuer.publish(rsa, ec);
        tokens = open();
    }

    @AfterEach
    void end() {
        background.shutdownNow();
        issuer.close();
    }

    private JwtAuthenticator open(String... more) {
        settings.put("sallyport.jwt.issuers", issuer.url());
        settings.put("sallyport.jwt.jwks-uris", issuer.url() + "/keys");
        settings.put("sallyport.jwt.audiences", "sallyport,other-name");
        settings.put("sallyport.jwt.tenants", "acme,globex");
        settings.put("sallyport.jwt.roles", "engineers=submitter,engineers=approver,cn=boss=admin");
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return JwtAuthenticator.open(Configuration.read(settings, Map.of()), blocked, clock, background);
    }

    private JWTClaimsSet.Builder claims() {
        return issuer.claims(clock.instant());
    }

    private String token(Consumer<JWTClaimsSet.Builder> change) {
        JWTClaimsSet.Builder claims = claims();
        change.accept(claims);
        return TestIssuer.sign(TestIssuer.header(JWSAlgorithm.RS256, rsa).build(), claims.build(), rsa);
    }

    private String token() {
        return token(claims -> {});
    }

    /** Signs any header and claims with the issuer's own key. */
    private static String signed(String header, String claims) throws Exception {
        Base64URL head = Base64URL.encode(header);
        Base64URL body = Base64URL.encode(claims);
        String input = head + "." + body;
        Base64URL signature = TestIssuer.signer(rsa)
                .sign(new JWSHeader.Builder(JWSAlgorithm.RS256).build(), input.getBytes(StandardCharsets.US_ASCII));
        return input + "." + signature;
    }

    private String json(Instant end) {
        return "{\"iss\":\"" + issuer.url() + "\",\"sub\":\"alice\",\"aud\":\"sallyport\",\"exp\":"
                + end.getEpochSecond() + ",\"tenant\":\"acme\",\"roles\":[\"engineers\"]";
    }

    private Caller accepted(String token) {
        TokenVerification verdict = tokens.verify(token);
        assertThat(verdict).isInstanceOf(TokenVerification.TokenAccepted.class);
        return ((TokenVerification.TokenAccepted) verdict).caller();
    }

    private void refused(TokenRejection why, String token) {
        TokenVerification verdict = tokens.verify(token);
        assertThat(verdict).isInstanceOf(TokenVerification.TokenRejected.class);
        assertThat(((TokenVerification.TokenRejected) verdict).reason()).isEqualTo(why);
    }

    @Test
    void validTokenIdentifiesItsCaller() {
        Caller caller = accepted(token());

        assertThat(caller.id()).isEqualTo("jwt:alice@" + issuer.url());
        assertThat(caller.tenant()).isEqualTo("acme");
        assertThat(caller.roles()).containsExactlyInAnyOrder(Role.SUBMITTER, Role.APPROVER);
        assertThat(caller.token()).hasValueSatisfying(token -> {
            assertThat(token.subject()).isEqualTo(new ExternalSubject(issuer.url(), "alice"));
            assertThat(token.expiresAt())
                    .isEqualTo(clock.instant().plusSeconds(330).truncatedTo(java.time.temporal.ChronoUnit.SECONDS));
        });
    }

    @Test
    void onlyConfiguredAlgorithmsAreAccepted() {
        accepted(TestIssuer.sign(TestIssuer.header(JWSAlgorithm.PS256, rsa).build(), claims().build(), rsa));
        accepted(TestIssuer.sign(TestIssuer.header(JWSAlgorithm.ES256, ec).build(), claims().build(), ec));
        refused(
                TokenRejection.ALGORITHM,
                TestIssuer.sign(TestIssuer.header(JWSAlgorithm.RS512, rsa).build(), claims().build(), rsa));
        tokens = open("sallyport.jwt.algorithms", "ES256");
        refused(TokenRejection.ALGORITHM, token());
    }

    @Test
    void unsignedTokenIsRefused() {
        String plain = new PlainJWT(claims().build()).serialize();
        refused(TokenRejection.ALGORITHM, plain);
        for (String none : List.of("none", "None", "NONE", "nOnE", "")) {
            String header = Base64URL.encode("{\"alg\":\"" + none + "\",\"typ\":\"JWT\"}")
                    .toString();
            refused(TokenRejection.ALGORITHM, header + "." + plain.split("\\.", -1)[1] + ".");
            refused(TokenRejection.ALGORITHM, header + "." + plain.split("\\.", -1)[1] + ".AA");
        }
        String good = token();
        refused(TokenRejection.MALFORMED, good.substring(0, good.lastIndexOf('.') + 1));
    }

    /** The public key is not secret: an authenticator that accepts it as a shared secret accepts tokens from anyone. */
    @ParameterizedTest
    @ValueSource(strings = {"HS256", "HS384", "HS512"})
    void publicKeyIsNotAcceptedAsASharedSecret(String algorithm) throws Exception {
        byte[] der = rsa.toPublicKey().getEncoded();
        String pem = "-----BEGIN PUBLIC KEY-----\n" + Base64.encode(der) + "\n-----END PUBLIC KEY-----\n";
        for (byte[] secret : List.of(
                der,
                pem.getBytes(StandardCharsets.US_ASCII),
                rsa.toPublicJWK().toJSONString().getBytes(StandardCharsets.US_ASCII))) {
            SignedJWT token = new SignedJWT(
                    new JWSHeader.Builder(JWSAlgorithm.parse(algorithm))
                            .keyID("r1")
                            .build(),
                    claims().build());
            token.sign(new MACSigner(secret));
            refused(TokenRejection.ALGORITHM, token.serialize());
        }
    }

    @Test
    void algorithmOfAnotherKeyTypeIsRefused() {
        String[] parts = TestIssuer.sign(
                        new JWSHeader.Builder(JWSAlgorithm.ES256)
                                .keyID("r1")
                                .type(JOSEObjectType.JWT)
                                .build(),
                        claims().build(),
                        ec)
                .split("\\.", -1);
        refused(TokenRejection.KEY, String.join(".", parts));
    }

    @Test
    void otherKeyWithTheSameIdIsRefused() {
        refused(
                TokenRejection.SIGNATURE,
                TestIssuer.sign(TestIssuer.header(JWSAlgorithm.RS256, rsa).build(), claims().build(), strangers));
    }

    @Test
    void keysInsideTheTokenAreIgnored() throws Exception {
        try (TestIssuer thief = new TestIssuer()) {
            thief.publish(strangers);
            List<JWSHeader> headers = List.of(
                    TestIssuer.header(JWSAlgorithm.RS256, rsa)
                            .jwkURL(URI.create(thief.url() + "/keys"))
                            .build(),
                    TestIssuer.header(JWSAlgorithm.RS256, rsa)
                            .x509CertURL(URI.create(thief.url() + "/keys"))
                            .build(),
                    TestIssuer.header(JWSAlgorithm.RS256, rsa)
                            .jwk(strangers.toPublicJWK())
                            .build(),
                    TestIssuer.header(JWSAlgorithm.RS256, rsa)
                            .x509CertChain(List.of(Base64.encode("certificate")))
                            .build());
            for (JWSHeader header : headers) {
                refused(TokenRejection.HEADER, TestIssuer.sign(header, claims().build(), strangers));
                refused(TokenRejection.HEADER, TestIssuer.sign(header, claims().build(), rsa));
            }
            assertThat(thief.fetches()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../../../dev/null",
                "/etc/passwd",
                "' or '1'='1",
                "http://169.254.169.254/latest",
                "file:///etc/passwd",
                "r1\u0000",
                "R1",
                ""
            })
    void keyIdIsNeverInterpreted(String kid) {
        JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.RS256)
                .keyID(kid)
                .type(JOSEObjectType.JWT)
                .build();
        refused(TokenRejection.KEY, TestIssuer.sign(header, claims().build(), rsa));
    }

    @Test
    void criticalHeadersAreRefused() throws Exception {
        String claims = json(clock.instant().plusSeconds(60)) + "}";
        refused(
                TokenRejection.HEADER,
                signed("{\"alg\":\"RS256\",\"kid\":\"r1\",\"crit\":[\"b64\"],\"b64\":false}", claims));
        refused(
                TokenRejection.HEADER,
                signed("{\"alg\":\"RS256\",\"kid\":\"r1\",\"crit\":[\"exp\"],\"exp\":1}", claims));
        refused(TokenRejection.HEADER, signed("{\"alg\":\"RS256\",\"kid\":\"r1\",\"zip\":\"DEF\"}", claims));
        accepted(signed("{\"alg\":\"RS256\",\"kid\":\"r1\"}", claims));
    }

    @Test
    void duplicateMemberIsRefused() throws Exception {
        String head = "{\"alg\":\"RS256\",\"kid\":\"r1\"}";
        String good = json(clock.instant().plusSeconds(60));
        for (String twice : List.of(
                "\"sub\":\"root\"",
                "\"roles\":[\"cn=boss\"]",
                "\"tenant\":\"globex\"",
                "\"exp\":99999999999",
                "\"\\u0073ub\":\"root\"")) {
            refused(TokenRejection.MALFORMED, signed(head, good + "," + twice + "}"));
        }
        refused(TokenRejection.MALFORMED, signed(head, good + ",\"x\":{\"a\":1,\"a\":2}}"));
        refused(TokenRejection.MALFORMED, signed("{\"alg\":\"RS256\",\"alg\":\"none\",\"kid\":\"r1\"}", good + "}"));
        refused(TokenRejection.MALFORMED, signed(head, good + "}{}"));
        refused(TokenRejection.MALFORMED, signed(head, "[" + good + "}]"));
        refused(TokenRejection.MALFORMED, signed(head, good + ",\"x\":" + "[".repeat(40) + "]".repeat(40) + "}"));
        accepted(signed(head, good + "}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "true", "\"4102444800\"", "[]", "{}"})
    void expirationThatIsNoNumberIsRefused(String end) throws Exception {
        String claims = json(clock.instant().plusSeconds(60)).replaceFirst("\"exp\":[0-9]+", "\"exp\":" + end) + "}";

        refused(TokenRejection.CLAIMS, signed("{\"alg\":\"RS256\",\"kid\":\"r1\"}", claims));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "...",
                "a.b",
                "a.b.c",
                "a.b.c.d.e",
                "eyJhbGciOiJSUzI1NiJ9.e30.AA AA",
                "eyJhbGciOiJSUzI1NiJ9\n.e30.AAAA",
                "\u0000.\u0000.\u0000",
                "eyJhbGciOiJSUzI1NiJ9.e30=.AAAA",
                "bnVsbA.bnVsbA.AAAA"
            })
    void malformedTokenIsRefused(String text) {
        assertThat(tokens.verify(text)).isInstanceOf(TokenVerification.TokenRejected.class);
    }

    @Test
    void oversizedTokenIsRefused() {
        refused(TokenRejection.TOO_LONG, token(claims -> claims.claim("padding", "x".repeat(7_000))));
        accepted(token(claims -> claims.claim("padding", "x".repeat(4_000))));
    }

    @Test
    void tamperedPayloadIsRefused() {
        String good = token();
        int dot = good.lastIndexOf('.');
        String other = token(claims -> claims.claim("roles", List.of("cn=boss")));
        refused(TokenRejection.SIGNATURE, other.substring(0, other.lastIndexOf('.')) + good.substring(dot));
    }

    /** Tokens that the issuer signed although they are invalid; {@code claims} changes a valid token. */
    private enum InvalidTokenCase {
        ISSUER(TokenRejection.ISSUER, claims -> claims.issuer("https://other.example")),
        NO_ISSUER(TokenRejection.ISSUER, claims -> claims.issuer(null)),
        AUDIENCE(TokenRejection.CLAIMS, claims -> claims.audience("another-service")),
        NO_AUDIENCE(TokenRejection.CLAIMS, claims -> claims.audience((String) null)),
        NO_END(TokenRejection.CLAIMS, claims -> claims.expirationTime(null)),
        END_AS_TEXT(TokenRejection.CLAIMS, claims -> claims.claim("exp", "tomorrow")),
        ENDED(TokenRejection.EXPIRED, claims -> claims.expirationTime(after(-31))),
        NOT_YET(TokenRejection.CLAIMS, claims -> claims.notBeforeTime(after(40))),
        FROM_THE_FUTURE(TokenRejection.CLAIMS, claims -> claims.issueTime(after(40))),
        FOR_EVER(TokenRejection.LIFE, claims -> claims.expirationTime(after(10_000_000_000L))),
        TOO_LONG(TokenRejection.LIFE, claims -> claims.expirationTime(after(86_500))),
        NO_SUBJECT(TokenRejection.CLAIMS, claims -> claims.subject(null)),
        EMPTY_SUBJECT(TokenRejection.CLAIMS, claims -> claims.subject("")),
        BLANK_SUBJECT(TokenRejection.CLAIMS, claims -> claims.subject(" alice")),
        SUBJECT_WITH_LINES(TokenRejection.CLAIMS, claims -> claims.subject("alice\nroot")),
        SUBJECT_THAT_LOOKS_LIKE_ANOTHER(TokenRejection.CLAIMS, claims -> claims.subject("al\u0456ce")),
        LONG_SUBJECT(TokenRejection.CLAIMS, claims -> claims.subject("a".repeat(256))),
        NO_TENANT(TokenRejection.TENANT, claims -> claims.claim("tenant", null)),
        FOREIGN_TENANT(TokenRejection.TENANT, claims -> claims.claim("tenant", "default")),
        TENANTS(TokenRejection.TENANT, claims -> claims.claim("tenant", List.of("acme"))),
        ONE_GROUP_AS_TEXT(TokenRejection.ROLES, claims -> claims.claim("roles", "engineers")),
        GROUPS_AS_TEXT(TokenRejection.ROLES, claims -> claims.claim("roles", "engineers cn=boss")),
        GROUP_THAT_IS_NONE(TokenRejection.ROLES, claims -> claims.claim("roles", List.of("engineers", 7))),
        GROUPS_AS_OBJECT(TokenRejection.ROLES, claims -> claims.claim("roles", Map.of("engineers", true))),
        ID_TOKEN(TokenRejection.USE, claims -> claims.claim("nonce", "n")),
        ID_TOKEN_OF_A_FLOW(TokenRejection.USE, claims -> claims.claim("at_hash", "h")),
        BOUND_TO_A_KEY(TokenRejection.USE, claims -> claims.claim("cnf", Map.of("jkt", "x")));

        private final TokenRejection why;
        private final Consumer<JWTClaimsSet.Builder> change;

        InvalidTokenCase(TokenRejection why, Consumer<JWTClaimsSet.Builder> change) {
            this.why = why;
            this.change = change;
        }

        private static Date after(long seconds) {
            return Date.from(new SettableClock().instant().plusSeconds(seconds));
        }
    }

    @ParameterizedTest
    @EnumSource(InvalidTokenCase.class)
    void validSignatureWithInvalidClaimsIsRefused(InvalidTokenCase wrong) {
        refused(wrong.why, token(wrong.change));
    }

    @Test
    void rejectionReportsWhetherTheIssuerSignedTheToken() {
        assertThat(((TokenVerification.TokenRejected)
                                tokens.verify(token(claims -> claims.expirationTime(InvalidTokenCase.after(-31)))))
                        .signedByIssuer())
                .isTrue();
        assertThat(((TokenVerification.TokenRejected) tokens.verify(token() + "AA")).signedByIssuer())
                .isFalse();
    }

    @Test
    void onlyConfiguredTokenTypesAreAccepted() {
        Map<String, Boolean> types = new LinkedHashMap<>();
        List.of("JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt").forEach(type -> types.put(type, true));
        List.of("logout+jwt", "secevent+jwt", "dpop+jwt", "id+jwt", "x", "none")
                .forEach(type -> types.put(type, false));
        types.forEach((type, taken) -> {
            String token = TestIssuer.sign(
                    TestIssuer.header(JWSAlgorithm.RS256, rsa)
                            .type(new JOSEObjectType(type))
                            .build(),
                    claims().build(),
                    rsa);
            if (taken) {
                accepted(token);
            } else {
                refused(TokenRejection.TYPE, token);
            }
        });
        tokens = open("sallyport.jwt.types", "at+jwt");
        refused(TokenRejection.TYPE, token());
    }

    @Test
    void typedAccessTokenMayHaveANonce() {
        accepted(TestIssuer.sign(
                TestIssuer.header(JWSAlgorithm.RS256, rsa)
                        .type(new JOSEObjectType("at+jwt"))
                        .build(),
                claims().claim("nonce", "n").build(),
                rsa));
    }

    @Test
    void unknownGroupsGrantNoRoles() {
        assertThat(accepted(token(claims -> claims.claim("roles", List.of("admin", "ADMIN", "submitter", "Engineers"))))
                        .roles())
                .isEmpty();
        assertThat(accepted(token(claims -> claims.claim("roles", null))).roles())
                .isEmpty();
        assertThat(accepted(token(claims -> claims.claim("roles", List.of()))).roles())
                .isEmpty();
        tokens = open("sallyport.jwt.default-roles", "auditor");
        assertThat(accepted(token(claims -> claims.claim("roles", null))).roles())
                .containsExactly(Role.AUDITOR);
    }

    @Test
    void claimsMayBeNestedOrHaveSlashesInTheirNames() {
        tokens = open(
                "sallyport.jwt.roles-claim", "/realm_access/roles", "sallyport.jwt.tenant-claim", "https://x.y/tenant");
        Caller caller = accepted(token(claims -> claims.claim("tenant", null)
                .claim("roles", null)
                .claim("https://x.y/tenant", "globex")
                .claim("realm_access", Map.of("roles", List.of("cn=boss")))));
        assertThat(caller.tenant()).isEqualTo("globex");
        assertThat(caller.roles()).containsExactly(Role.ADMIN);
    }

    @Test
    void missingTenantClaimSettingMeansOneTenant() {
        tokens = open("sallyport.jwt.tenant-claim", "", "sallyport.jwt.tenants", "acme");
        assertThat(accepted(token(claims -> claims.claim("tenant", "globex"))).tenant())
                .isEqualTo("acme");
    }

    @Test
    void issuerIsLimitedToItsOwnTenants() {
        try (TestIssuer second = new TestIssuer()) {
            second.publish(ec);
            tokens = open(
                    "sallyport.jwt.issuers", issuer.url() + "," + second.url(),
                    "sallyport.jwt.jwks-uris", issuer.url() + "/keys," + second.url() + "/keys",
                    "sallyport.jwt.tenants", "acme=" + issuer.url() + ",globex=" + second.url());
            JWSHeader header = TestIssuer.header(JWSAlgorithm.ES256, ec).build();
            Instant now = clock.instant();
            accepted(token());
            refused(TokenRejection.TENANT, token(claims -> claims.claim("tenant", "globex")));
            refused(
                    TokenRejection.TENANT,
                    TestIssuer.sign(header, second.claims(now).build(), ec));
            Caller theirs = accepted(TestIssuer.sign(
                    header, second.claims(now).claim("tenant", "globex").build(), ec));
            assertThat(theirs.id()).isEqualTo("jwt:alice@" + second.url());
            // Signed by the first issuer, with the second issuer in its claims.
            refused(
                    TokenRejection.KEY,
                    TestIssuer.sign(
                            TestIssuer.header(JWSAlgorithm.RS256, rsa).build(),
                            second.claims(now).claim("tenant", "globex").build(),
                            rsa));
        }
    }

    @Test
    void clockSkewIsToleratedUpToItsLimit() {
        accepted(token(claims -> claims.expirationTime(InvalidTokenCase.after(-29))));
        accepted(token(
                claims -> claims.notBeforeTime(InvalidTokenCase.after(29)).issueTime(InvalidTokenCase.after(29))));
        tokens = open("sallyport.jwt.clock-skew-millis", "0");
        refused(TokenRejection.EXPIRED, token(claims -> claims.expirationTime(InvalidTokenCase.after(-1))));
    }

    @Test
    void blockedSubjectIsRefusedAndOthersAreNot() {
        String token = token();
        accepted(token);
        BlockedSubject entry = blocked.block("acme", new ExternalSubject(issuer.url(), "alice"), "has left", "k1");

        refused(TokenRejection.BLOCKED, token);
        accepted(token(claims -> claims.subject("bob")));
        accepted(token(claims -> claims.claim("tenant", "globex")));
        assertThat(blocked.unblock("acme", entry.id())).isTrue();
        accepted(token);
    }

    @Test
    void otherNodeSeesABlockedSubjectWithinSeconds() {
        InMemoryBlockedSubjectStore store = new InMemoryBlockedSubjectStore();
        BlockedSubjectCache here = new BlockedSubjectCache(store, UUID::randomUUID, clock, Duration.ofSeconds(2));
        BlockedSubjectCache there = new BlockedSubjectCache(store, UUID::randomUUID, clock, Duration.ofSeconds(2));
        ExternalSubject alice = new ExternalSubject(issuer.url(), "alice");
        assertThat(there.isBlocked("acme", alice)).isFalse();
        here.block("acme", alice, "", "k1");

        clock.advance(Duration.ofSeconds(2));

        assertThat(there.isBlocked("acme", alice)).isTrue();
    }

    @Test
    void tokenIsRefusedWithoutAnIssuer() {
        JwtAuthenticator none =
                JwtAuthenticator.open(Configuration.read(Map.of(), Map.of()), blocked, clock, background);

        assertThat(none.isEnabled()).isFalse();
        assertThat(none.verify(token())).isInstanceOf(TokenVerification.TokenRejected.class);
    }

    @Test
    void payloadWithoutClaimsIsRefused() throws Exception {
        JWSObject text =
                new JWSObject(TestIssuer.header(JWSAlgorithm.RS256, rsa).build(), new Payload("not even JSON"));
        text.sign(TestIssuer.signer(rsa));
        refused(TokenRejection.MALFORMED, text.serialize());
    }

    @Test
    void encryptionKeyAndWeakKeyAreNotUsed() {
        RSAKey forSecrecy = new RSAKey.Builder(rsa)
                .keyUse(com.nimbusds.jose.jwk.KeyUse.ENCRYPTION)
                .build();
        RSAKey weak = TestIssuer.rsa("weak", 1_024);
        issuer.publish(forSecrecy, weak);
        tokens = open();

        refused(TokenRejection.KEY, token());
        refused(
                TokenRejection.KEY,
                TestIssuer.sign(TestIssuer.header(JWSAlgorithm.RS256, weak).build(), claims().build(), weak));
    }

    @Test
    void callerIdsOfDifferentIssuersNeverCollide() {
        assertThat(new ExternalSubject("https://a", "x@https://b").callerId())
                .isNotEqualTo(new ExternalSubject("https://b", "x@https://a").callerId());
        assertThat(Set.of(new ExternalSubject("https://a", "x").callerId()))
                .noneMatch(id -> id.matches("[A-Za-z0-9-]{12}"));
    }
}
