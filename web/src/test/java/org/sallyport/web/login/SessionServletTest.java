package org.sallyport.web.login;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.audit.AuditResult;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.ConsoleSessionStore;
import org.sallyport.auth.ConsoleSessions;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.audit.InMemoryAuditStore;
import org.sallyport.web.openapi.ApiDescription;
import org.sallyport.web.security.FailedLoginLimiter;
import org.sallyport.web.security.SameOriginCheck;

class SessionServletTest {
    private static final String PATH = "/console/session";
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-06-08T15:00:45Z"));

    private final ApiKeyService keys = new ApiKeyService(new SessionTestApiKeyStore(), CLOCK, new SecureRandom());
    private final InMemoryAuditStore audit = new InMemoryAuditStore();
    private final SessionServlet servlet = new SessionServlet();
    private final ApiKeyService.IssuedApiKey issued =
            keys.issue("acme", "Ada <b>", Set.of(Role.APPROVER, Role.SUBMITTER), Optional.empty());

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    SessionServletTest() {
        servlet.auditRecorder = audit.recorder();
        servlet.sessions =
                new ConsoleSessions(new ServletTestSessionStore(), keys, caller -> false, CLOCK, new SecureRandom());
        servlet.keys = keys;
        servlet.loginLimiter = new FailedLoginLimiter();
        servlet.logins = OidcLoginFixtures.none();
        servlet.configuration = Configuration.read(Map.of("sallyport.tenants.operator", "acme"), Map.of());
    }

    private FakeHttpExchange ask(FakeHttpExchange exchange) throws IOException {
        servlet.service(exchange.request(), exchange.response());
        return exchange;
    }

    private static JsonNode json(FakeHttpExchange exchange) {
        return ApiDescription.parse(exchange.body());
    }

    private FakeHttpExchange logIn() {
        return new FakeHttpExchange("POST", PATH).body("application/json", "{\"key\":\" " + issued.secret() + "\\n\"}");
    }

    private static String cookie(FakeHttpExchange exchange) {
        return exchange.header("Set-Cookie").orElseThrow().split(";", 2)[0];
    }

    @Test
    void aKeyIsExchangedForASession() throws IOException {
        FakeHttpExchange in = ask(logIn());

        assertThat(in.status()).isEqualTo(200);
        assertThat(in.header("Set-Cookie").orElseThrow())
                .contains("; HttpOnly", "; SameSite=Strict", "; Path=/")
                .doesNotContain("Secure", issued.secret());
        FakeHttpExchange who = ask(new FakeHttpExchange("GET", PATH).withHeader("Cookie", cookie(in)));
        assertThat(json(who)).isEqualTo(json(in));
        assertThat(json(who).path("signedIn").asBoolean()).isTrue();
        assertThat(json(who).path("name").asText()).isEqualTo("Ada <b>");
        assertThat(json(who).path("tenant").asText()).isEqualTo("acme");
        assertThat(json(who).path("roles").toString()).isEqualTo("[\"approver\",\"submitter\"]");
        assertThat(json(who).path("csrf").asText()).hasSize(64);
    }

    @Test
    void sessionShowsIfItsUserOperatesTheInstallation() throws IOException {
        assertThat(json(ask(logIn())).path("operates").asBoolean()).isTrue();
        servlet.configuration = Configuration.read(Map.of(), Map.of());
        assertThat(json(ask(logIn())).path("operates").asBoolean(true)).isFalse();
    }

    @Test
    void loginsLogoutsAndRefusedLoginsAreAudited() throws IOException {
        FakeHttpExchange in = ask(logIn());
        ask(new FakeHttpExchange("POST", PATH).body("application/json", "{\"key\":\"sp_wrong\"}"));
        ask(new FakeHttpExchange("DELETE", PATH)
                .withHeader("Cookie", cookie(in))
                .withHeader(SameOriginCheck.CSRF_HEADER, json(in).path("csrf").asText()));

        assertThat(audit.actions()).containsExactly("session.open", "session.open", "session.close");
        assertThat(audit.results())
                .extracting(AuditResult::outcome)
                .containsExactly(
                        AuditResult.AuditOutcome.DONE, AuditResult.AuditOutcome.REFUSED, AuditResult.AuditOutcome.DONE);
    }

    @Test
    void keyGuessesAreSlowedDownButTheRightKeyStillPasses() throws IOException {
        FakeHttpExchange wrong = logInWith("sp_wrong");
        for (int i = 0; wrong.status() == 401 && i < 100; i++) {
            wrong = logInWith("sp_wrong");
        }

        assertThat(wrong.status()).isEqualTo(429);
        assertThat(wrong.header("Retry-After").map(Integer::parseInt).orElseThrow())
                .isPositive();
        assertThat(ask(logIn()).status()).isEqualTo(200);
    }

    private FakeHttpExchange logInWith(String key) throws IOException {
        return ask(new FakeHttpExchange("POST", PATH).body("application/json", "{\"key\":\"" + key + "\"}"));
    }

    @Test
    void sessionCookieOverTlsIsSecure() throws IOException {
        assertThat(ask(logIn().overTls()).header("Set-Cookie").orElseThrow()).contains("; Secure");
    }

    @Test
    void callerWithoutSessionIsReportedAsSignedOut() throws IOException {
        FakeHttpExchange who = ask(new FakeHttpExchange("GET", PATH));

        assertThat(who.status()).isEqualTo(200);
        assertThat(who.text()).isEqualTo("{\"signedIn\":false}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/json | {\"key\":\"sp_wrong\"} | 401",
                "application/json | {} | 400",
                "application/json | {\"key\":1} | 400",
                "application/json | [ | 400",
                "application/json; charset=utf-8 | {\"key\":\"\"} | 401",
                "text/plain | {\"key\":\"x\"} | 415",
            })
    void invalidKeyOpensNoSession(String type, String body, int status) throws IOException {
        FakeHttpExchange refused = ask(new FakeHttpExchange("POST", PATH).body(type, body));

        assertThat(refused.status()).isEqualTo(status);
        assertThat(refused.header("Set-Cookie")).isEmpty();
        assertThat(refused.header("Content-Type")).hasValue("application/problem+json");
    }

    @Test
    void bodyThatIsNotUtf8OpensNoSession() throws IOException {
        // Starts like UTF-32, followed by bytes that are not a character.
        FakeHttpExchange refused =
                ask(new FakeHttpExchange("POST", PATH).body("application/json", "\0\0\0{\u007f\u007f\u007f\u007f"));
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.header("Content-Type")).hasValue("application/problem+json");
    }

    @Test
    void otherSiteCannotLogAUserIn() throws IOException {
        assertThat(ask(logIn().withHeader("Sec-Fetch-Site", "cross-site")).status())
                .isEqualTo(403);
        assertThat(ask(logIn().withHeader("Origin", "http://evil.example").withHeader("Host", "127.0.0.1"))
                        .status())
                .isEqualTo(403);
    }

    @Test
    void logoutNeedsTheCsrfToken() throws IOException {
        FakeHttpExchange in = ask(logIn());
        FakeHttpExchange out = ask(new FakeHttpExchange("DELETE", PATH).withHeader("Cookie", cookie(in)));
        assertThat(out.status()).isEqualTo(403);

        out = ask(new FakeHttpExchange("DELETE", PATH)
                .withHeader("Cookie", cookie(in))
                .withHeader(SameOriginCheck.CSRF_HEADER, json(in).path("csrf").asText()));
        assertThat(out.status()).isEqualTo(204);
        assertThat(out.header("Set-Cookie").orElseThrow()).contains("Max-Age=0");
        assertThat(json(ask(new FakeHttpExchange("GET", PATH).withHeader("Cookie", cookie(in))))
                        .path("signedIn")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void otherMethodsAreRefused() throws IOException {
        assertThat(ask(new FakeHttpExchange("PUT", PATH)).status()).isEqualTo(405);
    }

    private static final class SessionTestApiKeyStore implements ApiKeyStore {
        private final Map<String, ApiKey> keys = new HashMap<>();

        @Override
        public Optional<ApiKey> find(String id) {
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
            return keys.remove(id) != null;
        }

        @Override
        public List<ApiKey> list(String tenant) {
            return List.copyOf(keys.values());
        }
    }

    private static final class ServletTestSessionStore implements ConsoleSessionStore {
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
