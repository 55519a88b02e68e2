package org.sallyport.web.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.access.ApiKey;
import org.sallyport.access.ApiKeyStore;
import org.sallyport.access.BlockedSubject;
import org.sallyport.access.BlockedSubjectStore;
import org.sallyport.access.BlockedSubjects;
import org.sallyport.access.Caller;
import org.sallyport.access.KeyUseStore;
import org.sallyport.access.KeyUses;
import org.sallyport.access.Keys;
import org.sallyport.access.Role;
import org.sallyport.access.SessionStore;
import org.sallyport.access.Sessions;
import org.sallyport.access.Subject;
import org.sallyport.audit.AuditLog;
import org.sallyport.certificate.Certificates;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.token.Tokens;
import org.sallyport.web.Exchange;
import org.sallyport.web.audit.AuditInMemory;
import org.sallyport.web.openapi.ApiDescription;

class AuthenticationFilterTest {
    private static final String PATH = "/api/v1/executions";
    private static final Instant NOW = Instant.parse("2026-06-08T15:00:45Z");

    private final KeysInMemory store = new KeysInMemory();
    private final Keys keys = new Keys(store, InstantSource.fixed(NOW), new SecureRandom());
    private final AuthenticationFilter filter = new AuthenticationFilter();
    private final Keys.Issued issued = keys.issue("acme", "test", Set.of(Role.SUBMITTER), Optional.empty());
    private final Sessions sessions =
            new Sessions(new SessionsInMemory(), keys, caller -> false, InstantSource.fixed(NOW), new SecureRandom());
    private final Sessions.Opened opened = sessions.open(issued.secret()).orElseThrow();
    private final Map<String, Instant> used = new HashMap<>();
    private final KeyUses uses = new KeyUses(
            new KeyUseStore() {
                @Override
                public void note(Map<String, Instant> noted) {
                    used.putAll(noted);
                }

                @Override
                public Map<String, Instant> list(String tenant) {
                    return used;
                }
            },
            InstantSource.fixed(NOW));
    private boolean passed;

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    AuthenticationFilterTest() {
        filter.keys = keys;
        filter.uses = uses;
        filter.sessions = sessions;
        filter.brake = new Brake(InstantSource.fixed(NOW));
        filter.tokens = door(Map.of());
        filter.certificates = certificates(Map.of());
        filter.rates = new Rates(1_000, () -> 0);
        filter.configuration = Configuration.read(Map.of(), Map.of());
    }

    private static CertificateDoor certificates(Map<String, String> settings) {
        Configuration configuration = Configuration.read(settings, Map.of());
        return new CertificateDoor(
                Certificates.open(
                        configuration,
                        new BlockedSubjects(
                                new NobodyBlocked(), UUID::randomUUID, InstantSource.system(), Duration.ofSeconds(2)),
                        InstantSource.fixed(NOW)),
                configuration);
    }

    @Test
    void whereThereIsTlsNothingIsAnsweredWithoutIt() throws ServletException, IOException {
        filter.certificates = certificates(Map.of("sallyport.tls.mode", "tls"));

        for (String path : List.of(PATH, "/health/ready", "/console/")) {
            Exchange plain = new Exchange("GET", path).with("Authorization", "Bearer " + issued.secret());
            ask(plain);
            assertThat(plain.status()).isEqualTo(403);
            assertThat(passed).isFalse();
        }
        Exchange encrypted = new Exchange("GET", PATH).secure().with("Authorization", "Bearer " + issued.secret());
        ask(encrypted);
        assertThat(passed).isTrue();
        assertThat(encrypted.header("Strict-Transport-Security")).contains("max-age=15552000");
    }

    @Test
    void withMutualTlsAHandshakeWithoutACertificateIsNotEnough() throws ServletException, IOException {
        filter.certificates = certificates(Map.of("sallyport.tls.mode", "mtls"));
        Exchange exchange = new Exchange("GET", PATH).secure().with("Authorization", "Bearer " + issued.secret());

        ask(exchange);

        assertThat(exchange.status()).isEqualTo(403);
        assertThat(passed).isFalse();
    }

    @Test
    void whoComesWithAKeyUsesItAndWhoGuessesOneDoesNot() throws ServletException, IOException {
        String secret = issued.secret();
        ask(new Exchange("GET", PATH)
                .with("Authorization", "Bearer " + secret.substring(0, secret.length() - 1) + "!"));
        ask(new Exchange("GET", PATH)
                .with("Authorization", "Bearer " + secret.substring(0, secret.length() - 2) + "zz"));
        uses.write();
        assertThat(used).isEmpty();

        ask(new Exchange("GET", PATH).with("Authorization", "Bearer " + secret));
        uses.write();

        assertThat(used).isEqualTo(Map.of(issued.key().id(), NOW));
    }

    @Test
    void inTheClearBrowsersAreToldNothingOfTls() throws ServletException, IOException {
        Exchange exchange = new Exchange("GET", PATH);

        ask(exchange);

        assertThat(exchange.header("Strict-Transport-Security")).isEmpty();
    }

    private static TokenDoor door(Map<String, String> settings) {
        return new TokenDoor(
                Tokens.open(
                        Configuration.read(settings, Map.of()),
                        new BlockedSubjects(
                                new NobodyBlocked(), UUID::randomUUID, InstantSource.system(), Duration.ofSeconds(2)),
                        InstantSource.system(),
                        Executors.newSingleThreadExecutor()),
                new AuditLog(new AuditInMemory(), UUID::randomUUID, System::nanoTime));
    }

    /** Of an issuer that nobody can reach: what can be said of tokens without its keys. */
    private static TokenDoor withAnIssuer() {
        return door(Map.of(
                "sallyport.jwt.issuers", "http://127.0.0.1:1",
                "sallyport.jwt.audiences", "sallyport"));
    }

    /** Whoever reads an answer must not learn what is wrong with his token. */
    @Test
    void whatIsWrongWithATokenIsNotTold() throws Exception {
        Exchange key = new Exchange("GET", PATH).with("Authorization", "Bearer sp_wrong");
        refused(key);
        filter.tokens = withAnIssuer();
        String none = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.";
        String otherIssuer = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.AAAA";
        for (String token : List.of("x", "a.b.c", none, otherIssuer, "y".repeat(9_000))) {
            Exchange exchange = new Exchange("GET", PATH).with("Authorization", "Bearer " + token);
            refused(exchange);
            assertThat(exchange.body()).isEqualTo(key.body());
        }
    }

    @Test
    void whoSendsTooOftenIsToldToWait() throws Exception {
        filter.rates = new Rates(1, () -> 0);
        for (int i = 0; i < 2; i++) {
            ask(new Exchange("GET", PATH).with("Authorization", "Bearer " + issued.secret()));
            assertThat(passed).isTrue();
        }
        Exchange third = new Exchange("GET", PATH).with("Authorization", "Bearer " + issued.secret());
        ask(third);
        assertThat(passed).isFalse();
        assertThat(third.status()).isEqualTo(429);
        assertThat(third.header("Retry-After")).hasValue("2");
        assertThat(problem(third).path("type").asText()).isEqualTo("urn:sallyport:problem:rate-limited");
    }

    @Test
    void whoTriesTokensIsSlowedDownAndKeysAreTakenAllTheSame() throws Exception {
        filter.tokens = withAnIssuer();
        Exchange wrong = new Exchange("GET", PATH);
        for (int i = 0; i <= Brake.FREE; i++) {
            wrong = new Exchange("GET", PATH).with("Authorization", "Bearer a.b." + i);
            ask(wrong);
            assertThat(passed).isFalse();
        }

        assertThat(wrong.status()).isEqualTo(429);
        ask(new Exchange("GET", PATH).with("Authorization", "Bearer " + issued.secret()));
        assertThat(passed).isTrue();
    }

    /** {@code iss} is that of the issuer, and its keys cannot be had. */
    @Test
    void aTokenThatNobodyCanJudgeIsNotCalledWrong() throws Exception {
        filter.tokens = withAnIssuer();
        String token = "eyJhbGciOiJSUzI1NiJ9."
                + java.util.Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(
                                "{\"iss\":\"http://127.0.0.1:1\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8))
                + ".AAAA";
        Exchange exchange = new Exchange("GET", PATH).with("Authorization", "Bearer " + token);
        ask(exchange);

        assertThat(passed).isFalse();
        assertThat(exchange.status()).isEqualTo(503);
        assertThat(exchange.header("Retry-After")).hasValue("2");
    }

    @Test
    void aTokenIsTakenInOneHeaderOnly() throws Exception {
        filter.tokens = withAnIssuer();
        refused(new Exchange("GET", PATH).with("X-API-Key", "a.b.c"));
    }

    @Test
    void whoTriesKeysIsSlowedDownAndTheRightKeyIsTakenAllTheSame() throws Exception {
        Exchange wrong = new Exchange("GET", PATH);
        for (int i = 0; i <= Brake.FREE; i++) {
            wrong = new Exchange("GET", PATH).with("Authorization", "Bearer sp_wrong");
            ask(wrong);
            assertThat(passed).isFalse();
        }

        assertThat(wrong.status()).isEqualTo(429);
        assertThat(wrong.header("Retry-After")).contains("2");
        ask(new Exchange("GET", PATH).with("Authorization", "Bearer " + issued.secret()));
        assertThat(passed).isTrue();
    }

    @Test
    void whoeverHasAKeyThatIsOverGuessesNothing() throws Exception {
        Keys.Issued over = keys.issue("acme", "old", Set.of(Role.SUBMITTER), Optional.of(NOW));
        Exchange late = new Exchange("GET", PATH);
        for (int i = 0; i < 3 * Brake.FREE; i++) {
            late = new Exchange("GET", PATH).with("Authorization", "Bearer " + over.secret());
            ask(late);
        }

        assertThat(late.status()).isEqualTo(401);
    }

    private Exchange inSession(String method, String path) {
        return new Exchange(method, path)
                .with("Cookie", "sallyport-session=" + opened.token())
                .with("Host", "sallyport.example:8080");
    }

    @Test
    void aSessionPassesAsItsKey() throws Exception {
        Exchange exchange = inSession("GET", PATH).with("Sec-Fetch-Site", "same-origin");

        ask(exchange);

        assertThat(passed).isTrue();
        assertThat(exchange.attribute(AuthenticationFilter.CALLER))
                .contains(new Caller(issued.key().id(), "acme", Set.of(Role.SUBMITTER)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH"})
    void aSessionChangesNothingWithoutItsGuard(String method) throws Exception {
        forbidden(inSession(method, PATH));
        forbidden(inSession(method, PATH).with(SameOrigin.GUARD, ""));
        forbidden(inSession(method, PATH).with(SameOrigin.GUARD, opened.token()));

        ask(inSession(method, PATH).with(SameOrigin.GUARD, opened.session().guard()));
        assertThat(passed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site", "CROSS-SITE", ""})
    void aSessionIsNotForPagesOfOtherSites(String site) throws Exception {
        forbidden(inSession("GET", PATH).with("Sec-Fetch-Site", site));
        forbidden(inSession("POST", PATH)
                .with("Sec-Fetch-Site", site)
                .with(SameOrigin.GUARD, opened.session().guard()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "http://evil.example",
                "http://sallyport.example",
                "http://sallyport.example:8080.evil",
                "::"
            })
    void aSessionIsNotForOtherOrigins(String origin) throws Exception {
        forbidden(inSession("POST", PATH)
                .with("Origin", origin)
                .with(SameOrigin.GUARD, opened.session().guard()));
    }

    @Test
    void itsOwnOriginMayUseIt() throws Exception {
        ask(inSession("POST", PATH)
                .with("Origin", "http://sallyport.example:8080")
                .with(SameOrigin.GUARD, opened.session().guard()));

        assertThat(passed).isTrue();
    }

    @Test
    void aSessionThatIsOverIsRefused() throws Exception {
        sessions.close(opened.token());

        refused(inSession("GET", PATH));
        refused(new Exchange("GET", PATH).with("Cookie", "sallyport-session="));
        refused(new Exchange("GET", PATH).with("Cookie", "other=" + opened.token()));
    }

    @Test
    void aWrongKeyIsNotMadeGoodByASession() throws Exception {
        refused(inSession("GET", PATH).with("Authorization", "Bearer wrong"));
        refused(inSession("GET", PATH).with("Authorization", "Basic YTpi"));
        refused(inSession("GET", PATH).with("X-API-Key", "wrong"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/console", "/console/", "/console/executions/x", "/console/files/12ab/css/base.css"})
    void theConsolesFilesAreForEverybody(String path) throws Exception {
        ask(new Exchange("GET", path));

        assertThat(passed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/console/../api/v1/tools",
                "/console;x/y",
                "/console//x",
                "/consoles",
                "/console/.hidden",
                "/console/%2e%2e/api",
                "/CONSOLE",
                "//console",
                "/console/..;/api"
            })
    void whatOnlyLooksLikeTheConsoleIsNot(String path) throws Exception {
        refused(new Exchange("GET", path));
    }

    private void forbidden(Exchange exchange) throws Exception {
        ask(exchange);

        assertThat(passed).isFalse();
        assertThat(exchange.status()).isEqualTo(403);
        assertThat(problem(exchange).path("type").asText()).isEqualTo("urn:sallyport:problem:forbidden");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer ", "bearer ", "BEARER  "})
    void aBearerOfAKeyPassesAsItsOwner(String scheme) throws Exception {
        Exchange exchange = new Exchange("GET", PATH).with("Authorization", scheme + issued.secret());

        ask(exchange);

        assertThat(passed).isTrue();
        assertThat(exchange.attribute(AuthenticationFilter.CALLER))
                .contains(new Caller(issued.key().id(), "acme", Set.of(Role.SUBMITTER)));
    }

    @Test
    void aKeyCanComeInItsOwnHeader() throws Exception {
        ask(new Exchange("GET", PATH).with("X-API-Key", issued.secret()));

        assertThat(passed).isTrue();
    }

    @Test
    void withoutAKeyNothingIsReached() throws Exception {
        refused(new Exchange("GET", PATH));
        refused(new Exchange("GET", "/no/such/path"));
        refused(new Exchange("GET", "/openapi"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer ", "Bearer x", "Basic YTpi", "Bearer sp_aaaaaaaaaaaa_bbb", "sp_x"})
    void aKeyThatIsNoneIsRefused(String authorization) throws Exception {
        refused(new Exchange("GET", PATH).with("Authorization", authorization));
    }

    @Test
    void anotherKindOfAuthorizationIsNotMadeGoodByTheOtherHeader() throws Exception {
        refused(new Exchange("GET", PATH).with("Authorization", "Basic YTpi").with("X-API-Key", issued.secret()));
    }

    @Test
    void aKeyWithOneWrongCharacterIsRefused() throws Exception {
        String secret = issued.secret();
        char last = secret.charAt(secret.length() - 1);
        String wrong = secret.substring(0, secret.length() - 1) + (last == 'A' ? 'B' : 'A');

        refused(new Exchange("GET", PATH).with("Authorization", "Bearer " + wrong));
    }

    @Test
    void aKeyIsGoodUntilItExpires() throws Exception {
        Keys.Issued later = keys.issue("acme", "later", Set.of(), Optional.of(NOW.plus(Duration.ofMillis(1))));
        Keys.Issued over = keys.issue("acme", "over", Set.of(), Optional.of(NOW));

        ask(new Exchange("GET", PATH).with("X-API-Key", later.secret()));
        assertThat(passed).isTrue();
        refused(new Exchange("GET", PATH).with("X-API-Key", over.secret()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/health", "/health/live", "/health/ready", "/health/started"})
    void healthIsForEverybodyButKnowsWhoAsks(String path) throws Exception {
        Exchange stranger = new Exchange("GET", path);
        Exchange friend = new Exchange("GET", path).with("X-API-Key", issued.secret());

        ask(stranger);
        assertThat(passed).isTrue();
        assertThat(stranger.attribute(AuthenticationFilter.CALLER)).isEmpty();
        ask(friend);
        assertThat(friend.attribute(AuthenticationFilter.CALLER)).isPresent();
        refused(new Exchange("GET", path).with("X-API-Key", "wrong"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/health/", "/health/live/", "/health/live;x", "/health/../api/v1/tools", "//health", "/HEALTH"})
    void whatOnlyLooksLikeHealthIsNot(String path) throws Exception {
        refused(new Exchange("GET", path));
    }

    @Test
    void withoutADatabaseItSaysSo() throws Exception {
        store.down = true;
        Exchange exchange = new Exchange("GET", PATH).with("X-API-Key", issued.secret());

        ask(exchange);

        assertThat(passed).isFalse();
        assertThat(exchange.status()).isEqualTo(503);
        assertThat(exchange.header("Retry-After")).hasValue("2");
        assertThat(problem(exchange).path("type").asText()).isEqualTo("urn:sallyport:problem:unavailable");
    }

    @Test
    void everyAnswerForbidsKeepingAndFraming() throws Exception {
        Exchange exchange = new Exchange("GET", PATH);

        ask(exchange);

        assertThat(exchange.header("Cache-Control")).hasValue("no-store");
        assertThat(exchange.header("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(exchange.header("Content-Security-Policy").orElse("")).contains("frame-ancestors 'none'");
    }

    private void refused(Exchange exchange) throws Exception {
        ask(exchange);

        assertThat(passed).isFalse();
        assertThat(exchange.status()).isEqualTo(401);
        assertThat(exchange.header("WWW-Authenticate")).hasValue("Bearer realm=\"sallyport\"");
        assertThat(problem(exchange).path("type").asText()).isEqualTo("urn:sallyport:problem:unauthorized");
    }

    private static JsonNode problem(Exchange exchange) {
        JsonNode body = ApiDescription.parse(exchange.body());
        assertThat(exchange.header("Content-Type")).hasValue("application/problem+json");
        assertThat(ApiDescription.read().faults("Problem", body)).isEmpty();
        return body;
    }

    private void ask(Exchange exchange) throws IOException, ServletException {
        passed = false;
        filter.doFilter(exchange.request(), exchange.response(), (request, response) -> passed = true);
    }

    private static final class KeysInMemory implements ApiKeyStore {
        private final Map<String, ApiKey> keys = new HashMap<>();
        private boolean down;

        @Override
        public Optional<ApiKey> find(String id) {
            if (down) {
                throw new StoreUnavailableException("down", new IllegalStateException());
            }
            return Optional.ofNullable(keys.get(id));
        }

        @Override
        public void put(ApiKey key) {
            keys.put(key.id(), key);
        }

        @Override
        public boolean grant(String tenant, String id, List<String> grants) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean remove(String tenant, String id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<ApiKey> list(String tenant) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class NobodyBlocked implements BlockedSubjectStore {
        @Override
        public BlockedSubject add(BlockedSubject blocked) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean contains(String tenant, Subject subject) {
            return false;
        }

        @Override
        public Optional<BlockedSubject> remove(String tenant, UUID id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<BlockedSubject> list(String tenant, Optional<UUID> before, int limit) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class SessionsInMemory implements SessionStore {
        private final Map<String, Stored> kept = new HashMap<>();

        @Override
        public void add(Stored session, int most) {
            kept.put(session.hash(), session);
        }

        @Override
        public Optional<Stored> find(String hash) {
            return Optional.ofNullable(kept.get(hash));
        }

        @Override
        public void remove(String hash) {
            kept.remove(hash);
        }

        @Override
        public int removeExpired(Instant now) {
            return 0;
        }
    }
}
