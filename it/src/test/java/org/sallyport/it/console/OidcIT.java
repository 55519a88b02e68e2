package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.FakeOpenIdProvider;
import org.sallyport.it.harness.FakeTokenIssuer;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.UseServer;
import org.sallyport.testsupport.TimingAssertions;

/** Logins of people at an OpenID provider instead of with an API key, and attacks on these logins. */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OidcIT {
    private static final String HOSTILE_NAME = "<img src=x onerror=alert(1)>\u202Egro.live</script>";
    private static final String BLOCKED_SUBJECTS = "/api/v1/blocked-subjects";
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final SallyportServer server;
    private final FakeOpenIdProvider provider;
    private final RestClient admin;

    OidcIT(SallyportServer server) {
        this.server = server;
        this.provider = FakeOpenIdProvider.of(server);
        this.admin = provider.newAdministratorClient(server);
    }

    @AfterEach
    void resetProvider() {
        provider.reset();
    }

    private OidcHttpClient newHttpClient() {
        return new OidcHttpClient(admin);
    }

    private static void assertLoginRejected(String what, RestResponse answer, int status, String code) {
        assertThat(answer.status()).as(what + ": " + answer).isEqualTo(status);
        assertThat(answer.header("Content-Type")).as(what).startsWith("text/html");
        assertThat(answer.text()).as(what).contains("<code>" + code + "</code>");
        assertThat(answer.header("Content-Security-Policy")).contains("default-src 'none'", "frame-ancestors 'none'");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.headers().allValues("Set-Cookie").toString()).doesNotContain(OidcHttpClient.SESSION_COOKIE);
    }

    private String adaSubject() {
        return "jwt:ada@" + provider.url();
    }

    @Test
    void providerLoginOpensTheConsole() {
        OidcHttpClient ada = newHttpClient();
        assertThat(ada.get(OidcHttpClient.SESSION_PATH).json().path("signOn").asText())
                .isEqualTo(OidcHttpClient.LOGIN_PATH);
        String there = ada.startLogin("/console/executions?state=FAILED");
        String ticket = ada.cookie(OidcHttpClient.LOGIN_COOKIE);
        String back = ada.authorizeAtProvider(there);
        RestResponse in = ada.get(back);

        assertThat(in.status()).as(in.toString()).isEqualTo(303);
        assertThat(in.header("Location")).isEqualTo("/console/executions?state=FAILED");
        assertThat(in.headers().allValues("Set-Cookie"))
                .hasSize(2)
                .anyMatch(cookie -> cookie.contains(OidcHttpClient.SESSION_COOKIE)
                        && cookie.contains("; HttpOnly; SameSite=Strict")
                        && cookie.contains("Path=/;"));
        assertThat(ada.cookies()).containsOnlyKeys(OidcHttpClient.SESSION_COOKIE);
        JsonNode session = ada.get(OidcHttpClient.SESSION_PATH).json();
        assertThat(session.path("signedIn").asBoolean()).isTrue();
        assertThat(session.path("name").asText()).isEqualTo("Ada Lovelace");
        assertThat(session.path("keyId").asText()).isEqualTo(adaSubject());
        assertThat(session.path("tenant").asText()).isEqualTo(FakeOpenIdProvider.TENANT);
        assertThat(session.path("roles").toString()).isEqualTo("[\"submitter\"]");
        Instant end = Instant.parse(session.path("expiresAt").asText());
        assertThat(end).isBefore(Instant.now().plusSeconds(302));
        assertThat(ada.get(RestClient.EXECUTIONS).status()).isEqualTo(200);
        assertThat(ada.get("/api/v1/api-keys").status()).isEqualTo(403);
        String code = "{\"code\": \"return 1\"}";
        assertThat(admin.send(ada.request(RestClient.EXECUTIONS)
                                .header("Content-Type", "application/json")
                                .POST(RestClient.body(code)))
                        .status())
                .isEqualTo(403);
        assertThat(admin.send(ada.request(RestClient.EXECUTIONS)
                                .header("Content-Type", "application/json")
                                .header("X-Sallyport-CSRF", session.path("csrf").asText())
                                .POST(RestClient.body(code)))
                        .status())
                .isEqualTo(202);
        assertThat(admin.get("/api/v1/audit?limit=50&actor=" + adaSubject())
                        .json()
                        .toString())
                .contains("session.open", "console");
        assertThat(server.logText())
                .doesNotContain(
                        FakeOpenIdProvider.CLIENT_SECRET,
                        ticket,
                        back,
                        "opaque-access-token",
                        session.path("csrf").asText());
    }

    @Test
    void logoutEndsTheSession() {
        OidcHttpClient ada = newHttpClient();
        ada.logIn("");
        JsonNode session = ada.get(OidcHttpClient.SESSION_PATH).json();
        assertThat(session.path("goodbye").asText())
                .isEqualTo(provider.url() + "/logout?client_id=sallyport+console&post_logout_redirect_uri=http%3A%2F%2F"
                        + "127.0.0.1%3A" + server.url().getPort() + "%2Fconsole");
        admin.send(ada.request(OidcHttpClient.SESSION_PATH)
                        .header("X-Sallyport-CSRF", session.path("csrf").asText())
                        .DELETE())
                .expectStatus(204);
        assertThat(ada.get(RestClient.EXECUTIONS).status()).isEqualTo(401);
    }

    @Test
    void browserLoginReturnsToTheRequestedPage() {
        try (ChromiumBrowser chromium = ChromiumBrowser.start();
                BrowserSession visitor = BrowserSession.open(chromium, server.url())) {
            provider.setClaimsCustomizer(claims -> claims.claim("name", HOSTILE_NAME));
            visitor.goTo("/batches?state=none");
            Page page = visitor.page();
            assertThat(page.getByLabel("API key")).isVisible();
            page.screenshot(new Page.ScreenshotOptions().setPath(Path.of("target", "oidc-login.png")));
            page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Log in with single sign-on"))
                    .click();
            page.waitForURL(provider.url() + "/**");
            visitor.button("Continue as Ada").click();

            page.waitForURL(server.url() + "/console/batches?state=none");
            assertThat(page.locator(".who-name")).hasText("<img src=x onerror=alert(1)>\\u202egro.live</script>");
            assertThat(page.locator(".who img, .who script")).hasCount(0);
            page.reload();
            assertThat(page.locator(".shell")).isVisible();
            visitor.button("Log out").click();
            assertThat(visitor.heading("You have left")).isVisible();
            page.getByText("Back").click();
            page.waitForURL(server.url() + "/console");
            assertThat(page.getByLabel("API key")).isVisible();
            assertThat(visitor.browserErrors()).isEmpty();

            page.navigate(server.url() + "/console/oidc/callback?code=x&state=y");
            assertThat(visitor.heading("Not logged in")).isVisible();
            page.screenshot(new Page.ScreenshotOptions().setPath(Path.of("target", "oidc-failure.png")));
            page.getByText("Go to the login page").click();
            assertThat(page.getByLabel("API key")).isVisible();
        }
    }

    @Test
    void loginResponseIsAcceptedOnceAndOnlyInItsOwnBrowser() {
        OidcHttpClient ada = newHttpClient();
        String back = ada.authorizeAtProvider(ada.startLogin(""));
        String ticket = ada.cookie(OidcHttpClient.LOGIN_COOKIE);
        int before = provider.tokenRequests();

        assertLoginRejected("no cookie", newHttpClient().get(back), 400, "login-state");
        OidcHttpClient eve = newHttpClient();
        eve.startLogin("");
        assertLoginRejected("another's cookie", eve.get(back), 400, "login-state");
        OidcHttpClient twice = newHttpClient();
        twice.cookies().put(OidcHttpClient.LOGIN_COOKIE, ticket);
        assertLoginRejected("no state", twice.get(back.replace("state=", "x=")), 400, "login-state");
        twice.cookies().put(OidcHttpClient.LOGIN_COOKIE, ticket);
        assertLoginRejected("two states", twice.get(back + "&state=x"), 400, "login-state");
        for (String wrong : List.of("", ".", "x", ticket + "x", ticket.replaceFirst("\\.[0-9]+\\.", ".9999999999."))) {
            twice.cookies().put(OidcHttpClient.LOGIN_COOKIE, wrong);
            assertLoginRejected("ticket " + wrong, twice.get(back), 400, "login-state");
        }
        assertThat(provider.tokenRequests()).isEqualTo(before);

        assertThat(ada.get(back).status()).isEqualTo(303);
        ada.cookies().put(OidcHttpClient.LOGIN_COOKIE, ticket);
        assertLoginRejected("used", ada.get(back), 400, "login-state");
        assertThat(provider.tokenRequests()).isEqualTo(before + 1);
    }

    @Test
    void codeOfAnotherLoginIsRefused() {
        OidcHttpClient victim = newHttpClient();
        String stolen = victim.authorizeAtProvider(victim.startLogin(""));
        OidcHttpClient eve = newHttpClient();
        String own = eve.authorizeAtProvider(eve.startLogin(""));

        String code = stolen.replaceAll(".*[?&]code=([^&]*).*", "$1");
        assertLoginRejected(
                "a stolen code", eve.get(own.replaceAll("code=[^&]*", "code=" + code)), 403, "login-refused");
        OidcHttpClient other = newHttpClient();
        other.authorizeAtProvider(other.startLogin(""));
    }

    @Test
    void loginResponseOfAnotherProviderIsRefused() {
        int before = provider.tokenRequests();
        OidcHttpClient ada = newHttpClient();
        String back = ada.authorizeAtProvider(ada.startLogin(""));
        assertLoginRejected(
                "another iss", ada.get(back.replaceAll("iss=[^&]*", "iss=https://evil.example")), 403, "login-refused");
        back = ada.authorizeAtProvider(ada.startLogin(""));
        assertLoginRejected("no iss", ada.get(back.replaceAll("&iss=[^&]*", "")), 403, "login-refused");
        assertThat(provider.tokenRequests()).isEqualTo(before);
    }

    @Test
    void errorDescriptionOfTheProviderIsNotShown() {
        OidcHttpClient ada = newHttpClient();
        String back = ada.authorizeAtProvider(ada.startLogin(""));
        RestResponse denied = ada.get(back.replaceAll(
                "code=[^&]*", "error=access_denied&error_description=%3Cscript%3Ealert(1)%3C/script%3E"));
        assertLoginRejected("denied", denied, 403, "login-denied");
        assertThat(denied.text()).doesNotContain("alert(1)", "<script");
    }

    private void assertLoginRefused(String what) {
        OidcHttpClient ada = newHttpClient();
        assertLoginRejected(what, ada.logIn(""), 403, "login-refused");
        assertThat(ada.get(OidcHttpClient.SESSION_PATH).json().path("signedIn").asBoolean())
                .as(what)
                .isFalse();
        provider.reset();
    }

    private SignedJWT newSignedJwt(JWSHeader header, JWTClaimsSet claims) {
        return new SignedJWT(header, claims);
    }

    /** Tries an ID token of another login, one without a signature, and one signed with another key. */
    @Test
    void forgedIdTokensAreRefused() {
        provider.setClaimsCustomizer(change -> change.claim("nonce", "n".repeat(43)));
        assertLoginRefused("another nonce");
        provider.setSigner(all -> new PlainJWT(all).serialize());
        assertLoginRefused("alg none");
        // Made here: the service does not wait for a provider that makes a key.
        RSAKey other = FakeTokenIssuer.key("op1");
        provider.setSigner(all -> FakeTokenIssuer.sign(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("op1").build(), all, other));
        assertLoginRefused("another key");
        assertThat(server.logText()).contains("a token was refused: login", "a token was refused: algorithm");
        assertThat(newHttpClient().logIn("").status()).isEqualTo(303);
    }

    @Test
    @Tag("slow")
    void hostileIdTokensAreRefused() {
        Instant now = Instant.now();
        Map<String, Consumer<JWTClaimsSet.Builder>> claims = new LinkedHashMap<>();
        claims.put("no nonce", change -> change.claim("nonce", null));
        claims.put("another audience", change -> change.audience(FakeTokenIssuer.AUDIENCE));
        claims.put(
                "two audiences and no party",
                change -> change.audience(List.of(FakeOpenIdProvider.CLIENT_ID, "other")));
        claims.put("another party", change -> change.claim("azp", "other"));
        claims.put("another issuer", change -> change.issuer("https://id.example"));
        claims.put("over", change -> change.expirationTime(Date.from(now.minusSeconds(60))));
        claims.put("for ever", change -> change.expirationTime(new Date(32503680000000L)));
        claims.put("no end", change -> change.expirationTime(null));
        claims.put("not issued", change -> change.issueTime(null));
        claims.put("nobody", change -> change.subject(null));
        claims.put("groups as a text", change -> change.claim("groups", "submitters"));
        claims.put("a tenant of another issuer", change -> change.claim("tenant", "default"));
        claims.put("a tenant that is not there", change -> change.claim("tenant", "globex"));
        claims.forEach((what, change) -> {
            provider.setClaimsCustomizer(change);
            assertLoginRefused(what);
        });
        Map<String, Function<JWTClaimsSet, String>> signers = new LinkedHashMap<>();
        signers.put("HS256 with the public key", this::signWithPublicKeyAsSecret);
        signers.put("an access token", all -> signWithType("at+jwt", all));
        signers.put(
                "huge",
                all -> provider.sign(new JWTClaimsSet.Builder(all)
                        .claim("x", "x".repeat(9_000))
                        .build()));
        signers.put("nothing", all -> "a.b.c");
        signers.forEach((what, signer) -> {
            provider.setSigner(signer);
            assertLoginRefused(what);
        });
        assertThat(newHttpClient().logIn("").status()).isEqualTo(303);
    }

    private String signWithPublicKeyAsSecret(JWTClaimsSet claims) {
        try {
            SignedJWT token = newSignedJwt(
                    new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("op1").build(), claims);
            token.sign(new MACSigner(provider.key().toPublicKey().getEncoded()));
            return token.serialize();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    private String signWithType(String type, JWTClaimsSet claims) {
        try {
            SignedJWT token = newSignedJwt(
                    new JWSHeader.Builder(JWSAlgorithm.RS256)
                            .keyID("op1")
                            .type(new JOSEObjectType(type))
                            .build(),
                    claims);
            token.sign(new RSASSASigner(provider.key()));
            return token.serialize();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    /** A stolen ID token gives no access to the API. */
    @Test
    void idTokenIsRefusedByTheApi() {
        String[] seen = new String[1];
        provider.setSigner(claims -> {
            seen[0] = provider.sign(claims);
            return seen[0];
        });
        assertThat(newHttpClient().logIn("").status()).isEqualTo(303);
        assertThat(admin.withKey(seen[0]).get(RestClient.EXECUTIONS).status()).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"//evil.example", "https://evil.example/console", "/console/\\evil.example"})
    void loginNeverRedirectsToAnotherSite(String returnTo) {
        assertThat(newHttpClient().logIn(returnTo).header("Location")).isEqualTo("/console");
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(
            strings = {
                "/\\evil.example",
                "/console//evil.example",
                "/console/../../evil",
                "/consolex",
                "javascript:alert(1)",
                "/console\r\nX: y",
                "/console/oidc/login",
                "/console?a=b\u0000",
                "",
                " /console/executions"
            })
    void loginWithAnInvalidReturnPathOpensTheFirstPage(String returnTo) {
        loginNeverRedirectsToAnotherSite(returnTo);
    }

    @Test
    void otherSiteCannotStartALogin() {
        RestResponse answer =
                admin.send(newHttpClient().request(OidcHttpClient.LOGIN_PATH).header("Sec-Fetch-Site", "cross-site"));
        assertThat(answer.status()).isEqualTo(303);
        assertThat(answer.header("Location")).isEqualTo("/console");
        assertThat(answer.header("Set-Cookie")).isEmpty();
        assertThat(admin.send(newHttpClient().request(OidcHttpClient.LOGIN_PATH).POST(RestClient.body("")))
                        .status())
                .isEqualTo(405);
    }

    /** Prevents session fixation: a login never reuses a session cookie that an attacker may have planted. */
    @Test
    void loginAlwaysCreatesANewSession() {
        OidcHttpClient ada = newHttpClient();
        ada.logIn("");
        String first = ada.cookie(OidcHttpClient.SESSION_COOKIE);
        ada.logIn("");
        assertThat(ada.cookie(OidcHttpClient.SESSION_COOKIE)).isNotEqualTo(first);
        ada.cookies().put(OidcHttpClient.SESSION_COOKIE, "A".repeat(43));
        ada.logIn("");
        assertThat(ada.cookie(OidcHttpClient.SESSION_COOKIE)).isNotEqualTo("A".repeat(43));
    }

    @Test
    void loginWithoutARoleIsRefusedWithTheReason() {
        provider.setClaimsCustomizer(claims -> claims.claim("groups", List.of("Submitters", "submitter")));
        assertLoginRejected("no role", newHttpClient().logIn(""), 403, "login-no-role");
        provider.setClaimsCustomizer(claims -> claims.claim("groups", null));
        assertLoginRejected("no group", newHttpClient().logIn(""), 403, "login-no-role");
    }

    @Test
    void blockedSubjectLosesItsSessionQuickly() {
        provider.setClaimsCustomizer(claims -> claims.subject("mallory"));
        OidcHttpClient mallory = newHttpClient();
        mallory.logIn("");
        assertThat(mallory.get(RestClient.EXECUTIONS).status()).isEqualTo(200);
        RestResponse block = admin.post(
                        BLOCKED_SUBJECTS,
                        "{\"issuer\": \"" + provider.url() + "\", \"subject\": \"mallory\", \"reason\": \"has left\"}")
                .expectStatus(201);
        try {
            Await.until(
                    "the session is over",
                    TIMEOUT,
                    () -> mallory.get(RestClient.EXECUTIONS).status() == 401);
            assertLoginRejected("blocked", mallory.logIn(""), 403, "login-refused");
            assertThat(admin.get("/api/v1/audit?limit=50&actor=jwt:mallory@" + provider.url())
                            .json()
                            .toString())
                    .contains("token.use", "blocked");
        } finally {
            String entry = BLOCKED_SUBJECTS + "/" + block.json().path("id").asText();
            admin.send(admin.request(entry).DELETE()).expectStatus(204);
        }
    }

    @Test
    @Tag("slow")
    void sessionEndsWhenItsTokenExpires() {
        Instant end = Instant.now().plusSeconds(12);
        provider.setClaimsCustomizer(claims -> claims.expirationTime(Date.from(end)));
        OidcHttpClient ada = newHttpClient();
        assertThat(ada.logIn("").status()).isEqualTo(303);
        assertThat(ada.get(RestClient.EXECUTIONS).status()).isEqualTo(200);
        Await.until(
                "the session is over",
                Duration.ofSeconds(60),
                () -> ada.get(RestClient.EXECUTIONS).status() == 401);
        assertThat(Instant.now()).isAfterOrEqualTo(end.minusSeconds(1));
        TimingAssertions.assertAtMost(Duration.ofSeconds(25), Duration.between(end, Instant.now()));
    }

    @Test
    void loginFailsWhileTheProviderFails() {
        assertProviderFailure("500", exchange -> FakeOpenIdProvider.send(exchange, 500, "<b>no</b>"));
        assertProviderFailure(
                "no ID token", exchange -> FakeOpenIdProvider.send(exchange, 200, "{\"access_token\":\"x\"}"));
        assertProviderFailure("a redirect", exchange -> {
            exchange.getResponseHeaders().set("Location", provider.url() + "/keys");
            FakeOpenIdProvider.send(exchange, 307, "");
        });
        assertThat(server.logText()).doesNotContain(FakeOpenIdProvider.CLIENT_SECRET, "<b>no</b>");
    }

    @Test
    @Tag("slow")
    void everyProviderFaultFailsTheLoginInTime() {
        CountDownLatch release = new CountDownLatch(1);
        try {
            assertProviderFailure(
                    "401", exchange -> FakeOpenIdProvider.send(exchange, 401, "{\"error\":\"invalid_client\"}"));
            assertProviderFailure("no JSON", exchange -> FakeOpenIdProvider.send(exchange, 200, "<html>"));
            assertProviderFailure(
                    "two ID tokens",
                    exchange -> FakeOpenIdProvider.send(exchange, 200, "{\"id_token\":\"x\",\"id_token\":\"y\"}"));
            assertProviderFailure("no end", OidcIT::sendEndlessBody);
            assertProviderFailure("silence", exchange -> {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        } finally {
            release.countDown();
        }
        assertThat(server.logText()).doesNotContain(FakeOpenIdProvider.CLIENT_SECRET);
    }

    /** Fails unless a login ends with the page {@code login-provider} when the token endpoint gives this response. */
    private void assertProviderFailure(String what, HttpHandler redemption) {
        provider.setTokenHandler(redemption);
        OidcHttpClient ada = newHttpClient();
        String back = ada.authorizeAtProvider(ada.startLogin(""));
        long startNanos = System.nanoTime();
        assertLoginRejected(what, ada.get(back), 502, "login-provider");
        TimingAssertions.assertAtMostSince(startNanos, TIMEOUT);
    }

    private static void sendEndlessBody(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        byte[] much = new byte[64 << 10];
        try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < 1_000; i++) {
                out.write(much);
            }
        }
    }
}
