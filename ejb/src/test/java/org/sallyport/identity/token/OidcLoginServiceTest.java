package org.sallyport.identity.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.Caller;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.testsupport.TimingAssertions;

/** Logins at a provider with a valid, an invalid or a missing discovery document. */
class OidcLoginServiceTest {
    private static final RSAKey KEY = TestIssuer.rsa("r1");

    private final SettableClock clock = new SettableClock();
    private final BlockedSubjectCache blocked =
            new BlockedSubjectCache(new InMemoryBlockedSubjectStore(), UUID::randomUUID, clock, Duration.ofSeconds(2));
    private final ExecutorService background = Executors.newSingleThreadExecutor();
    private final TestIssuer issuer = new TestIssuer();
    private final Map<String, String> settings = new HashMap<>();

    @BeforeEach
    void begin() {
        issuer.publish(KEY);
        settings.put("sallyport.jwt.issuers", issuer.url());
        settings.put("sallyport.jwt.jwks-uris", issuer.url() + "/keys");
        settings.put("sallyport.jwt.audiences", "sallyport");
        settings.put("sallyport.jwt.tenants", "acme");
        settings.put("sallyport.jwt.roles", "engineers=submitter");
        settings.put("sallyport.oidc.issuer", issuer.url());
        settings.put("sallyport.oidc.client-id", "console");
        settings.put("sallyport.oidc.public-url", "https://sallyport.example/");
        describe("");
    }

    @AfterEach
    void end() {
        background.shutdownNow();
        issuer.close();
    }

    private void describe(String more) {
        describe(issuer.url(), issuer.url() + "/authorize?realm=a", more);
    }

    private void describe(String name, String authorization, String more) {
        issuer.setMetadata("{\"issuer\":\"" + name + "\",\"authorization_endpoint\":\"" + authorization
                + "\",\"token_endpoint\":\"" + issuer.url() + "/token\"" + more + "}");
    }

    private OidcLoginService open() {
        Configuration configuration = Configuration.read(settings, Map.of());
        JwtAuthenticator tokens = JwtAuthenticator.open(configuration, blocked, clock, background);
        return OidcLoginService.open(configuration, tokens, clock, new SecureRandom(), new IdleExecutorService());
    }

    private static LoginFailure failure(ThrowableAssert.ThrowingCallable what) {
        return catchThrowableOfType(LoginException.class, what).failure();
    }

    private static Map<String, String> query(URI address) {
        Map<String, String> query = new HashMap<>();
        for (String pair : address.getRawQuery().split("&")) {
            query.put(pair.split("=", 2)[0], URLDecoder.decode(pair.split("=", 2)[1], StandardCharsets.UTF_8));
        }
        return query;
    }

    @Test
    void authorizationRequestIsCompleteAndHidesTheVerifier() throws Exception {
        OidcLoginService.LoginStarted begun = open().startLogin("/console/queue");
        Map<String, String> query = query(begun.authorizationUri());
        LoginState ticket =
                LoginState.parse(begun.encodedState(), clock.instant()).orElseThrow();

        assertThat(begun.authorizationUri().toString())
                .startsWith(issuer.url() + "/authorize?realm=a&response_type=code&");
        assertThat(query)
                .containsEntry("client_id", "console")
                .containsEntry("redirect_uri", "https://sallyport.example/console/oidc/callback")
                .containsEntry("scope", "openid profile")
                .containsEntry("code_challenge_method", "S256")
                .containsEntry("state", ticket.state());
        assertThat(begun.authorizationUri().toString()).doesNotContain(ticket.verifier(), begun.encodedState());
        assertThat(ticket.returnTo()).isEqualTo("/console/queue");
        assertThat(List.of(ticket.state(), ticket.nonce(), ticket.verifier(), ticket.challenge()))
                .doesNotHaveDuplicates()
                .allMatch(text -> text.matches("[A-Za-z0-9_-]{43}"));
    }

    @Test
    void loginAttemptExpires() throws Exception {
        OidcLoginService logins = open();
        OidcLoginService.LoginStarted begun = logins.startLogin("");
        OidcLoginService.AuthorizationResponse returned = new OidcLoginService.AuthorizationResponse(
                Optional.of(query(begun.authorizationUri()).getOrDefault("state", "")),
                Optional.of("code"),
                Optional.empty(),
                Optional.empty());
        assertThat(LoginState.parse(begun.encodedState(), clock.instant().minusSeconds(5)))
                .isEmpty();
        clock.advance(LoginState.MAX_LIFETIME);

        assertThat(failure(() -> logins.finishLogin(begun.encodedState(), returned)))
                .isEqualTo(LoginFailure.STATE);
    }

    @Test
    void loginServiceVouchesOnlyForSubjectsOfItsProvider() {
        OidcLoginService logins = open();
        Caller own = Caller.of(new ExternalSubject(issuer.url(), "ada"), clock.instant(), "acme", Set.of());
        Caller other = Caller.of(new ExternalSubject("https://id.example", "ada"), clock.instant(), "acme", Set.of());

        assertThat(logins.vouchesFor(own)).isTrue();
        assertThat(logins.vouchesFor(other)).isFalse();
        assertThat(logins.vouchesFor(new Caller("k", "acme", Set.of(Role.ADMIN))))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"javascript:alert(1)", "http://id.example/authorize", "/authorize", "", "https://a@b/"})
    void metadataWithAForeignAuthorizationEndpointIsRefused(String authorization) {
        describe(issuer.url(), authorization, "");
        assertThat(failure(() -> open().startLogin(""))).isEqualTo(LoginFailure.PROVIDER);
    }

    @Test
    void metadataOfAnotherIssuerIsRefused() {
        describe("https://id.example", issuer.url() + "/authorize", "");
        assertThat(failure(() -> open().startLogin(""))).isEqualTo(LoginFailure.PROVIDER);
        issuer.setMetadata("<html>");
        assertThat(failure(() -> open().startLogin(""))).isEqualTo(LoginFailure.PROVIDER);
    }

    @Test
    void unreachableProviderIsRetriedAndOldMetadataUsedForAWhile() throws Exception {
        OidcLoginService logins = open();
        issuer.setMetadata("");
        assertThat(failure(() -> logins.startLogin(""))).isEqualTo(LoginFailure.PROVIDER);
        describe("");
        assertThat(failure(() -> logins.startLogin(""))).isEqualTo(LoginFailure.PROVIDER);
        clock.advance(Duration.ofSeconds(6));
        logins.startLogin("");

        issuer.setMetadata("");
        clock.advance(Duration.ofMinutes(6));
        logins.startLogin("");
        clock.advance(Duration.ofMinutes(60));
        assertThat(failure(() -> logins.startLogin(""))).isEqualTo(LoginFailure.PROVIDER);
    }

    @Test
    void logoutEndpointMustBeAWebUrl() throws Exception {
        OidcLoginService logins = open();
        assertThat(logins.logoutUri()).isEmpty();
        describe(",\"end_session_endpoint\":\"javascript:alert(1)\"");
        logins.startLogin("");
        assertThat(logins.logoutUri()).isEmpty();
        describe(",\"end_session_endpoint\":\"https://id.example/end\"");
        clock.advance(Duration.ofMinutes(6));
        logins.startLogin("");
        assertThat(logins.logoutUri())
                .hasValue(URI.create("https://id.example/end?client_id=console&post_logout_redirect_uri="
                        + "https%3A%2F%2Fsallyport.example%2Fconsole"));
    }

    /** A client without a secret, and a client whose provider expects the secret in the form. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void codeIsRedeemedAsTheProviderRequires(boolean secret) throws Exception {
        if (secret) {
            settings.put("sallyport.oidc.client-secret", "s3&cret");
        }
        StringBuilder sent = new StringBuilder();
        StringBuilder nonce = new StringBuilder();
        HttpServer endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endpoint.createContext("/token", exchange -> {
            sent.append(exchange.getRequestHeaders().getFirst("Authorization"))
                    .append('|')
                    .append(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            TestIssuer.send(exchange, 200, "{\"id_token\":\"" + idToken(nonce.toString()) + "\"}");
        });
        endpoint.start();
        try {
            issuer.setMetadata("{\"issuer\":\"" + issuer.url() + "\",\"authorization_endpoint\":\""
                    + issuer.url() + "/a\",\"token_endpoint\":\"http://127.0.0.1:"
                    + endpoint.getAddress().getPort()
                    + "/token\",\"token_endpoint_auth_methods_supported\":[\"client_secret_post\"]}");
            OidcLoginService logins = open();
            OidcLoginService.LoginStarted begun = logins.startLogin("/console/queue");
            nonce.append(query(begun.authorizationUri()).get("nonce"));
            OidcLoginService.LoggedInUser person = logins.finishLogin(
                    begun.encodedState(),
                    new OidcLoginService.AuthorizationResponse(
                            Optional.ofNullable(query(begun.authorizationUri()).get("state")),
                            Optional.of("c"),
                            Optional.empty(),
                            Optional.empty()));

            assertThat(person.caller().id()).isEqualTo("jwt:alice@" + issuer.url());
            assertThat(person.caller().roles()).containsExactly(Role.SUBMITTER);
            assertThat(person.name()).isEqualTo("alice");
            assertThat(person.returnTo()).isEqualTo("/console/queue");
            assertThat(sent.toString())
                    .startsWith("null|grant_type=authorization_code&code=c&redirect_uri=https%3A%2F%2F")
                    .endsWith(secret ? "&client_id=console&client_secret=s3%26cret" : "&client_id=console");
        } finally {
            endpoint.stop(0);
        }
    }

    private String idToken(String nonce) throws IOException {
        return TestIssuer.sign(
                TestIssuer.header(JWSAlgorithm.RS256, KEY).build(),
                issuer.claims(clock.instant())
                        .audience("console")
                        .claim("nonce", nonce)
                        .build(),
                KEY);
    }

    /** Request threads wait for the provider, so only a few may wait. */
    @Test
    void threadsWaitingForASlowProviderAreLimited() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        HttpServer slow = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        slow.createContext("/", exchange -> {
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        slow.start();
        ExecutorService many = Executors.newFixedThreadPool(20);
        try {
            String url = "http://127.0.0.1:" + slow.getAddress().getPort();
            settings.put("sallyport.jwt.issuers", url);
            settings.put("sallyport.oidc.issuer", url);
            OidcLoginService logins = open();
            List<Future<LoginFailure>> failures = IntStream.range(0, 20)
                    .mapToObj(i -> many.submit(() -> failure(() -> logins.startLogin(""))))
                    .toList();
            long began = System.nanoTime();
            int busy = 0;
            for (Future<LoginFailure> each : failures) {
                busy += each.get() == LoginFailure.BUSY ? 1 : 0;
            }
            assertThat(busy).isGreaterThanOrEqualTo(12);
            TimingAssertions.assertAtMostSince(began, Duration.ofSeconds(30));
        } finally {
            release.countDown();
            many.shutdownNow();
            slow.stop(0);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sallyport.oidc.issuer=https://other.example",
                "sallyport.oidc.client-id=",
                "sallyport.oidc.client-id=café",
                "sallyport.oidc.scopes=profile",
                "sallyport.oidc.scopes=openid,a b",
                "sallyport.oidc.public-url=",
                "sallyport.oidc.public-url=http://sallyport.example",
                "sallyport.oidc.public-url=https://sallyport.example/base",
                "sallyport.oidc.public-url=https://sallyport.example?a",
                "sallyport.oidc.public-url=https://a@sallyport.example",
                "sallyport.oidc.issuer=",
            })
    void invalidSettingStopsTheStartWithItsName(String setting) {
        settings.put("sallyport.oidc.client-secret", "s3cret");
        settings.put(setting.split("=", 2)[0], setting.split("=", 2)[1]);
        assertThatThrownBy(() -> OidcLoginService.check(Configuration.read(settings, Map.of())))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("sallyport.oidc.")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void loginIsDisabledWithoutAProvider() {
        settings.keySet().removeIf(name -> name.startsWith("sallyport.oidc."));
        OidcLoginService logins = open();
        assertThat(logins.isEnabled()).isFalse();
        assertThat(logins.logoutUri()).isEmpty();
        assertThat(failure(() -> logins.startLogin(""))).isEqualTo(LoginFailure.PROVIDER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/console",
                "/console/",
                "/console/executions?state=FAILED&q=a%20b",
                "/console/capabilities/acme.orders"
            })
    void consolePageIsKeptAsReturnTarget(String path) {
        assertThat(LoginState.consolePageOrDefault(path)).isEqualTo(path);
    }

    /** Does no work in advance, so that a test sees when the service queries the provider. */
    private static final class IdleExecutorService extends AbstractExecutorService {
        @Override
        public void execute(Runnable task) {
            // The service does the work later, when it needs it.
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long time, TimeUnit unit) {
            return true;
        }
    }
}
