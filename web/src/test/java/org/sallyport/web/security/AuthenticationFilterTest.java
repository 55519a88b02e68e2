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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditLog;
import org.sallyport.audit.AuditResult;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.BlockedSubject;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.BlockedSubjectStore;
import org.sallyport.auth.Caller;
import org.sallyport.auth.ConsoleSessionStore;
import org.sallyport.auth.ConsoleSessions;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.auth.KeyUseStore;
import org.sallyport.auth.KeyUseTracker;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.identity.mtls.ClientCertificateMapper;
import org.sallyport.identity.token.JwtAuthenticator;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.audit.InMemoryAuditStore;
import org.sallyport.web.openapi.ApiDescription;

class AuthenticationFilterTest {
    private static final String PATH = "/api/v1/executions";
    private static final Instant NOW = Instant.parse("2026-06-08T15:00:45Z");

    private final FailingApiKeyStore store = new FailingApiKeyStore();
    private final ApiKeyService keys = new ApiKeyService(store, InstantSource.fixed(NOW), new SecureRandom());
    private final AuthenticationFilter filter = new AuthenticationFilter();
    private final ApiKeyService.IssuedApiKey issued =
            keys.issue("acme", "test", Set.of(Role.SUBMITTER), Optional.empty());
    private final ConsoleSessions sessions = new ConsoleSessions(
            new FilterTestSessionStore(), keys, caller -> false, InstantSource.fixed(NOW), new SecureRandom());
    private final ConsoleSessions.OpenedSession opened =
            sessions.open(issued.secret()).orElseThrow();
    private final Map<String, Instant> recordedUses = new HashMap<>();
    private final KeyUseTracker uses = new KeyUseTracker(
            new KeyUseStore() {
                @Override
                public void recordUses(Map<String, Instant> noted) {
                    recordedUses.putAll(noted);
                }

                @Override
                public Map<String, Instant> lastUsedByKey(String tenant) {
                    return recordedUses;
                }
            },
            InstantSource.fixed(NOW));
    private final InMemoryAuditStore audit = new InMemoryAuditStore();
    private boolean passed;

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    AuthenticationFilterTest() {
        filter.keys = keys;
        filter.uses = uses;
        filter.sessions = sessions;
        filter.loginLimiter = new FailedLoginLimiter(InstantSource.fixed(NOW), () -> 0);
        filter.tokenAuthenticator = tokenAuthenticator(Map.of());
        filter.certificateAuthenticator = certificateAuthenticator(Map.of());
        filter.rateLimiter = new RequestRateLimiter(1_000, () -> 0);
        filter.configuration = Configuration.read(Map.of(), Map.of());
        filter.rejections = new RejectionRecorder(
                new AuditLog(audit, UUID::randomUUID, () -> 0),
                Configuration.read(Map.of("sallyport.tenants.operator", "ops"), Map.of()));
    }

    private static CertificateAuthenticator certificateAuthenticator(Map<String, String> settings) {
        Configuration configuration = Configuration.read(settings, Map.of());
        return new CertificateAuthenticator(
                ClientCertificateMapper.create(
                        configuration,
                        new BlockedSubjectCache(
                                new EmptyBlockedSubjectStore(),
                                UUID::randomUUID,
                                InstantSource.system(),
                                Duration.ofSeconds(2)),
                        InstantSource.fixed(NOW)),
                configuration);
    }

    @Test
    void plainHttpRequestIsRefusedIfTlsIsOn() throws ServletException, IOException {
        filter.certificateAuthenticator = certificateAuthenticator(Map.of("sallyport.tls.mode", "tls"));

        for (String path : List.of(PATH, "/health/ready", "/console/")) {
            FakeHttpExchange plain =
                    new FakeHttpExchange("GET", path).withHeader("Authorization", "Bearer " + issued.secret());
            ask(plain);
            assertThat(plain.status()).isEqualTo(403);
            assertThat(passed).isFalse();
        }
        FakeHttpExchange encrypted =
                new FakeHttpExchange("GET", PATH).overTls().withHeader("Authorization", "Bearer " + issued.secret());
        ask(encrypted);
        assertThat(passed).isTrue();
        assertThat(encrypted.header("Strict-Transport-Security")).contains("max-age=15552000");
    }

    @Test
    void mutualTlsRequiresAClientCertificate() throws ServletException, IOException {
        filter.certificateAuthenticator = certificateAuthenticator(Map.of("sallyport.tls.mode", "mtls"));
        FakeHttpExchange exchange =
                new FakeHttpExchange("GET", PATH).overTls().withHeader("Authorization", "Bearer " + issued.secret());

        ask(exchange);

        assertThat(exchange.status()).isEqualTo(403);
        assertThat(passed).isFalse();
    }

    @Test
    void onlyACorrectKeyIsRecordedAsUsed() throws ServletException, IOException {
        String secret = issued.secret();
        ask(new FakeHttpExchange("GET", PATH)
                .withHeader("Authorization", "Bearer " + secret.substring(0, secret.length() - 1) + "!"));
        ask(new FakeHttpExchange("GET", PATH)
                .withHeader("Authorization", "Bearer " + secret.substring(0, secret.length() - 2) + "zz"));
        uses.flush();
        assertThat(recordedUses).isEmpty();

        ask(new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer " + secret));
        uses.flush();

        assertThat(recordedUses).isEqualTo(Map.of(issued.key().id(), NOW));
    }

    @Test
    void plainHttpResponseHasNoHstsHeader() throws ServletException, IOException {
        FakeHttpExchange exchange = new FakeHttpExchange("GET", PATH);

        ask(exchange);

        assertThat(exchange.header("Strict-Transport-Security")).isEmpty();
    }

    private static BearerTokenAuthenticator tokenAuthenticator(Map<String, String> settings) {
        return new BearerTokenAuthenticator(
                JwtAuthenticator.open(
                        Configuration.read(settings, Map.of()),
                        new BlockedSubjectCache(
                                new EmptyBlockedSubjectStore(),
                                UUID::randomUUID,
                                InstantSource.system(),
                                Duration.ofSeconds(2)),
                        InstantSource.system(),
                        Executors.newSingleThreadExecutor()),
                new AuditLog(new InMemoryAuditStore(), UUID::randomUUID, System::nanoTime));
    }

    /** An authenticator whose issuer is unreachable, for tokens that are judged without its keys. */
    private static BearerTokenAuthenticator withAnIssuer() {
        return tokenAuthenticator(Map.of(
                "sallyport.jwt.issuers", "http://127.0.0.1:1",
                "sallyport.jwt.audiences", "sallyport"));
    }

    /** A response must not reveal why a token was rejected. */
    @Test
    void reasonOfATokenRejectionIsNotRevealed() throws Exception {
        FakeHttpExchange key = new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer sp_wrong");
        assertUnauthorized(key);
        filter.tokenAuthenticator = withAnIssuer();
        String none = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.";
        String otherIssuer = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.AAAA";
        for (String token : List.of("x", "a.b.c", none, otherIssuer, "y".repeat(9_000))) {
            FakeHttpExchange exchange =
                    new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer " + token);
            assertUnauthorized(exchange);
            assertThat(exchange.body()).isEqualTo(key.body());
        }
    }

    @Test
    void callerOverTheRateLimitIsRefusedWithRetryAfter() throws Exception {
        filter.rateLimiter = new RequestRateLimiter(1, () -> 0);
        for (int i = 0; i < 2; i++) {
            ask(new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer " + issued.secret()));
            assertThat(passed).isTrue();
        }
        FakeHttpExchange third =
                new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer " + issued.secret());
        ask(third);
        assertThat(passed).isFalse();
        assertThat(third.status()).isEqualTo(429);
        assertThat(third.header("Retry-After")).hasValue("2");
        assertThat(problem(third).path("type").asText()).isEqualTo("urn:sallyport:problem:rate-limited");
    }

    @Test
    void tokenGuessesAreSlowedDownButValidKeysStillPass() throws Exception {
        filter.tokenAuthenticator = withAnIssuer();
        FakeHttpExchange wrong = new FakeHttpExchange("GET", PATH);
        for (int i = 0; i <= FailedLoginLimiter.FREE_ATTEMPTS; i++) {
            wrong = new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer a.b." + i);
            ask(wrong);
            assertThat(passed).isFalse();
        }

        assertThat(wrong.status()).isEqualTo(429);
        ask(new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer " + issued.secret()));
        assertThat(passed).isTrue();
    }

    /** The claim {@code iss} names the configured issuer, whose keys cannot be fetched. */
    @Test
    void tokenOfAnUnreachableIssuerGivesUnavailable() throws Exception {
        filter.tokenAuthenticator = withAnIssuer();
        String token = "eyJhbGciOiJSUzI1NiJ9."
                + java.util.Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(
                                "{\"iss\":\"http://127.0.0.1:1\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8))
                + ".AAAA";
        FakeHttpExchange exchange = new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer " + token);
        ask(exchange);

        assertThat(passed).isFalse();
        assertThat(exchange.status()).isEqualTo(503);
        assertThat(exchange.header("Retry-After")).hasValue("2");
    }

    @Test
    void tokenIsAcceptedOnlyInTheAuthorizationHeader() throws Exception {
        filter.tokenAuthenticator = withAnIssuer();
        assertUnauthorized(new FakeHttpExchange("GET", PATH).withHeader("X-API-Key", "a.b.c"));
    }

    @Test
    void keyGuessesAreSlowedDownButTheRightKeyStillPasses() throws Exception {
        FakeHttpExchange wrong = new FakeHttpExchange("GET", PATH);
        for (int i = 0; i <= FailedLoginLimiter.FREE_ATTEMPTS; i++) {
            wrong = new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer sp_wrong");
            ask(wrong);
            assertThat(passed).isFalse();
        }

        assertThat(wrong.status()).isEqualTo(429);
        assertThat(wrong.header("Retry-After")).contains("2");
        ask(new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer " + issued.secret()));
        assertThat(passed).isTrue();
    }

    @Test
    void wrongKeysAreAuditedInTheOperatingTenant() throws Exception {
        for (FakeHttpExchange wrong : List.of(
                new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer sp_wrong"),
                new FakeHttpExchange("GET", PATH).withHeader("X-API-Key", "sp_wrong"),
                new FakeHttpExchange("POST", "/mcp").withHeader("Authorization", "Bearer sp_wrong"))) {
            ask(wrong.fromAddress("192.0.2.1"));
        }

        assertThat(audit.entries())
                .extracting(AuditEntry::channel)
                .containsExactly(
                        AuditEntry.AuditChannel.REST, AuditEntry.AuditChannel.REST, AuditEntry.AuditChannel.MCP);
        assertThat(audit.entries()).allSatisfy(entry -> {
            assertThat(entry.tenant()).isEqualTo("ops");
            assertThat(entry.actor()).isEmpty();
            assertThat(entry.address()).isEqualTo("192.0.2.1");
            assertThat(entry.action()).isEqualTo("api-key.use");
        });
        assertThat(audit.results()).extracting(AuditResult::status).containsExactly(401, 401, 401);
    }

    @Test
    void requestsWithoutAGuessAreNotAudited() throws Exception {
        ApiKeyService.IssuedApiKey expired = keys.issue("acme", "old", Set.of(Role.SUBMITTER), Optional.of(NOW));
        ask(new FakeHttpExchange("GET", PATH));
        ask(new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer " + expired.secret()));
        ask(new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer " + issued.secret()));

        assertThat(audit.entries()).isEmpty();
    }

    @Test
    void expiredKeyDoesNotCountAsAGuess() throws Exception {
        ApiKeyService.IssuedApiKey expired = keys.issue("acme", "old", Set.of(Role.SUBMITTER), Optional.of(NOW));
        FakeHttpExchange late = new FakeHttpExchange("GET", PATH);
        for (int i = 0; i < 3 * FailedLoginLimiter.FREE_ATTEMPTS; i++) {
            late = new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer " + expired.secret());
            ask(late);
        }

        assertThat(late.status()).isEqualTo(401);
    }

    private FakeHttpExchange inSession(String method, String path) {
        return new FakeHttpExchange(method, path)
                .withHeader("Cookie", "sallyport-session=" + opened.token())
                .withHeader("Host", "sallyport.example:8080");
    }

    @Test
    void sessionPassesAsItsKey() throws Exception {
        FakeHttpExchange exchange = inSession("GET", PATH).withHeader("Sec-Fetch-Site", "same-origin");

        ask(exchange);

        assertThat(passed).isTrue();
        assertThat(exchange.attribute(AuthenticationFilter.CALLER))
                .contains(new Caller(issued.key().id(), "acme", Set.of(Role.SUBMITTER)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH"})
    void sessionNeedsItsCsrfTokenForChanges(String method) throws Exception {
        assertForbidden(inSession(method, PATH));
        assertForbidden(inSession(method, PATH).withHeader(SameOriginCheck.CSRF_HEADER, ""));
        assertForbidden(inSession(method, PATH).withHeader(SameOriginCheck.CSRF_HEADER, opened.token()));

        ask(inSession(method, PATH)
                .withHeader(SameOriginCheck.CSRF_HEADER, opened.session().csrfToken()));
        assertThat(passed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site", "CROSS-SITE", ""})
    void sessionIsRefusedForOtherSites(String site) throws Exception {
        assertForbidden(inSession("GET", PATH).withHeader("Sec-Fetch-Site", site));
        assertForbidden(inSession("POST", PATH)
                .withHeader("Sec-Fetch-Site", site)
                .withHeader(SameOriginCheck.CSRF_HEADER, opened.session().csrfToken()));
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
    void sessionIsRefusedForOtherOrigins(String origin) throws Exception {
        assertForbidden(inSession("POST", PATH)
                .withHeader("Origin", origin)
                .withHeader(SameOriginCheck.CSRF_HEADER, opened.session().csrfToken()));
    }

    @Test
    void sessionIsAcceptedForItsOwnOrigin() throws Exception {
        ask(inSession("POST", PATH)
                .withHeader("Origin", "http://sallyport.example:8080")
                .withHeader(SameOriginCheck.CSRF_HEADER, opened.session().csrfToken()));

        assertThat(passed).isTrue();
    }

    @Test
    void closedSessionIsRefused() throws Exception {
        sessions.close(opened.token());

        assertUnauthorized(inSession("GET", PATH));
        assertUnauthorized(new FakeHttpExchange("GET", PATH).withHeader("Cookie", "sallyport-session="));
        assertUnauthorized(new FakeHttpExchange("GET", PATH).withHeader("Cookie", "other=" + opened.token()));
    }

    @Test
    void wrongKeyIsRefusedDespiteAValidSession() throws Exception {
        assertUnauthorized(inSession("GET", PATH).withHeader("Authorization", "Bearer wrong"));
        assertUnauthorized(inSession("GET", PATH).withHeader("Authorization", "Basic YTpi"));
        assertUnauthorized(inSession("GET", PATH).withHeader("X-API-Key", "wrong"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/console", "/console/", "/console/executions/x", "/console/files/12ab/css/base.css"})
    void consoleFilesNeedNoKey(String path) throws Exception {
        ask(new FakeHttpExchange("GET", path));

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
    void pathSimilarToTheConsoleNeedsAKey(String path) throws Exception {
        assertUnauthorized(new FakeHttpExchange("GET", path));
    }

    private void assertForbidden(FakeHttpExchange exchange) throws Exception {
        ask(exchange);

        assertThat(passed).isFalse();
        assertThat(exchange.status()).isEqualTo(403);
        assertThat(problem(exchange).path("type").asText()).isEqualTo("urn:sallyport:problem:forbidden");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer ", "bearer ", "BEARER  "})
    void bearerKeyPassesAsItsOwner(String scheme) throws Exception {
        FakeHttpExchange exchange =
                new FakeHttpExchange("GET", PATH).withHeader("Authorization", scheme + issued.secret());

        ask(exchange);

        assertThat(passed).isTrue();
        assertThat(exchange.attribute(AuthenticationFilter.CALLER))
                .contains(new Caller(issued.key().id(), "acme", Set.of(Role.SUBMITTER)));
    }

    @Test
    void keyIsAcceptedInItsOwnHeader() throws Exception {
        ask(new FakeHttpExchange("GET", PATH).withHeader("X-API-Key", issued.secret()));

        assertThat(passed).isTrue();
    }

    @Test
    void requestWithoutAKeyIsRefused() throws Exception {
        assertUnauthorized(new FakeHttpExchange("GET", PATH));
        assertUnauthorized(new FakeHttpExchange("GET", "/no/such/path"));
        assertUnauthorized(new FakeHttpExchange("GET", "/openapi"));
    }

    @ParameterizedTest
    @ValueSource(strings = {PATH, "/api/v1/no/such/path", "/mcp", "/openapi", "/metrics"})
    void methodsOfAPathNeedNoKey(String path) throws Exception {
        FakeHttpExchange exchange = new FakeHttpExchange("OPTIONS", path);

        ask(exchange);

        assertThat(passed).isTrue();
        assertThat(exchange.attribute(AuthenticationFilter.CALLER)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/no/such/path", "/api/v1", "/api", "/openapi/", "/mcp/x"})
    void methodsOfOtherPathsNeedAKey(String path) throws Exception {
        assertUnauthorized(new FakeHttpExchange("OPTIONS", path));
    }

    @ParameterizedTest
    @CsvSource({
        "POST, gzip",
        "POST, br",
        "PUT, GZIP",
        "POST, x-unknown",
        "POST, 'identity, gzip'",
        "DELETE, deflate",
    })
    void bodyInAContentCodingIsRefused(String method, String coding) throws Exception {
        FakeHttpExchange exchange = new FakeHttpExchange(method, PATH)
                .withHeader("Authorization", "Bearer " + issued.secret())
                .withHeader("Transfer-Encoding", "chunked")
                .withHeader("Content-Encoding", coding);

        ask(exchange);

        assertThat(passed).isFalse();
        assertThat(exchange.status()).isEqualTo(415);
        assertThat(exchange.header("Accept-Encoding")).hasValue("identity");
        assertThat(problem(exchange).path("type").asText()).isEqualTo("urn:sallyport:problem:unsupported-media-type");
    }

    @ParameterizedTest
    @CsvSource({"POST, identity", "POST, ''", "POST, 'Identity , '", "GET, gzip"})
    void bodyWithoutAContentCodingPasses(String method, String coding) throws Exception {
        ask(new FakeHttpExchange(method, PATH)
                .withHeader("Authorization", "Bearer " + issued.secret())
                .withHeader("Content-Length", "2")
                .withHeader("Content-Encoding", coding));

        assertThat(passed).isTrue();
    }

    /** Some clients send the header with each request. */
    @ParameterizedTest
    @ValueSource(strings = {"", "0"})
    void requestWithoutABodyPassesWithAContentCoding(String length) throws Exception {
        FakeHttpExchange exchange = new FakeHttpExchange("DELETE", PATH)
                .withHeader("Authorization", "Bearer " + issued.secret())
                .withHeader("Content-Encoding", "gzip");
        ask(length.isEmpty() ? exchange : exchange.withHeader("Content-Length", length));

        assertThat(passed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer ", "Bearer x", "Basic YTpi", "Bearer sp_aaaaaaaaaaaa_bbb", "sp_x"})
    void malformedKeyIsRefused(String authorization) throws Exception {
        assertUnauthorized(new FakeHttpExchange("GET", PATH).withHeader("Authorization", authorization));
    }

    @Test
    void otherAuthorizationSchemeIsRefusedDespiteAValidKeyHeader() throws Exception {
        assertUnauthorized(new FakeHttpExchange("GET", PATH)
                .withHeader("Authorization", "Basic YTpi")
                .withHeader("X-API-Key", issued.secret()));
    }

    @Test
    void aKeyWithOneWrongCharacterIsRefused() throws Exception {
        String secret = issued.secret();
        char last = secret.charAt(secret.length() - 1);
        String wrong = secret.substring(0, secret.length() - 1) + (last == 'A' ? 'B' : 'A');

        assertUnauthorized(new FakeHttpExchange("GET", PATH).withHeader("Authorization", "Bearer " + wrong));
    }

    @Test
    void keyIsValidUntilItExpires() throws Exception {
        ApiKeyService.IssuedApiKey later =
                keys.issue("acme", "later", Set.of(), Optional.of(NOW.plus(Duration.ofMillis(1))));
        ApiKeyService.IssuedApiKey expired = keys.issue("acme", "over", Set.of(), Optional.of(NOW));

        ask(new FakeHttpExchange("GET", PATH).withHeader("X-API-Key", later.secret()));
        assertThat(passed).isTrue();
        assertUnauthorized(new FakeHttpExchange("GET", PATH).withHeader("X-API-Key", expired.secret()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/health", "/health/live", "/health/ready", "/health/started"})
    void healthNeedsNoKeyButIdentifiesTheCaller(String path) throws Exception {
        FakeHttpExchange stranger = new FakeHttpExchange("GET", path);
        FakeHttpExchange friend = new FakeHttpExchange("GET", path).withHeader("X-API-Key", issued.secret());

        ask(stranger);
        assertThat(passed).isTrue();
        assertThat(stranger.attribute(AuthenticationFilter.CALLER)).isEmpty();
        ask(friend);
        assertThat(friend.attribute(AuthenticationFilter.CALLER)).isPresent();
        assertUnauthorized(new FakeHttpExchange("GET", path).withHeader("X-API-Key", "wrong"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/health/", "/health/live/", "/health/live;x", "/health/../api/v1/tools", "//health", "/HEALTH"})
    void pathSimilarToHealthNeedsAKey(String path) throws Exception {
        assertUnauthorized(new FakeHttpExchange("GET", path));
    }

    @Test
    void databaseOutageGivesUnavailable() throws Exception {
        store.down = true;
        FakeHttpExchange exchange = new FakeHttpExchange("GET", PATH).withHeader("X-API-Key", issued.secret());

        ask(exchange);

        assertThat(passed).isFalse();
        assertThat(exchange.status()).isEqualTo(503);
        assertThat(exchange.header("Retry-After")).hasValue("2");
        assertThat(problem(exchange).path("type").asText()).isEqualTo("urn:sallyport:problem:unavailable");
    }

    @Test
    void everyResponseForbidsCachingAndFraming() throws Exception {
        FakeHttpExchange exchange = new FakeHttpExchange("GET", PATH);

        ask(exchange);

        assertThat(exchange.header("Cache-Control")).hasValue("no-store");
        assertThat(exchange.header("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(exchange.header("Content-Security-Policy").orElse("")).contains("frame-ancestors 'none'");
    }

    private void assertUnauthorized(FakeHttpExchange exchange) throws Exception {
        ask(exchange);

        assertThat(passed).isFalse();
        assertThat(exchange.status()).isEqualTo(401);
        assertThat(exchange.header("WWW-Authenticate")).hasValue("Bearer realm=\"sallyport\"");
        assertThat(problem(exchange).path("type").asText()).isEqualTo("urn:sallyport:problem:unauthorized");
    }

    private static JsonNode problem(FakeHttpExchange exchange) {
        JsonNode body = ApiDescription.parse(exchange.body());
        assertThat(exchange.header("Content-Type")).hasValue("application/problem+json");
        assertThat(ApiDescription.read().violations("Problem", body)).isEmpty();
        return body;
    }

    private void ask(FakeHttpExchange exchange) throws IOException, ServletException {
        passed = false;
        filter.doFilter(exchange.request(), exchange.response(), (request, response) -> passed = true);
    }

    private static final class FailingApiKeyStore implements ApiKeyStore {
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
        public boolean replaceGrants(String tenant, String id, List<String> grants) {
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

    private static final class EmptyBlockedSubjectStore implements BlockedSubjectStore {
        @Override
        public BlockedSubject add(BlockedSubject blocked) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean contains(String tenant, ExternalSubject subject) {
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

    private static final class FilterTestSessionStore implements ConsoleSessionStore {
        private final Map<String, StoredSession> kept = new HashMap<>();

        @Override
        public void add(StoredSession session, int maxSessions) {
            kept.put(session.hash(), session);
        }

        @Override
        public Optional<StoredSession> find(String hash) {
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
