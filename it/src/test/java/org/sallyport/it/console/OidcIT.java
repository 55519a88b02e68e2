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
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Issuer;
import org.sallyport.it.harness.OpenIdProvider;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.testsupport.Timing;

/** People who log in at a provider instead of with a key, and what somebody beside them tries. */
@Server(Profile.RICH)
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OidcIT {
    private static final String HOSTILE = "<img src=x onerror=alert(1)>\u202Egro.live</script>";
    private static final String BLOCKED = "/api/v1/blocked-subjects";
    private static final Duration SOON = Duration.ofSeconds(30);

    private final SallyportServer server;
    private final OpenIdProvider provider;
    private final Api admin;

    OidcIT(SallyportServer server) {
        this.server = server;
        this.provider = OpenIdProvider.of(server);
        this.admin = provider.administrator(server);
    }

    @AfterEach
    void recover() {
        provider.recovers();
    }

    private Wanderer newBrowser() {
        return new Wanderer(admin);
    }

    private static void turnedAway(String what, Answer answer, int status, String code) {
        assertThat(answer.status()).as(what + ": " + answer).isEqualTo(status);
        assertThat(answer.header("Content-Type")).as(what).startsWith("text/html");
        assertThat(answer.text()).as(what).contains("<code>" + code + "</code>");
        assertThat(answer.header("Content-Security-Policy")).contains("default-src 'none'", "frame-ancestors 'none'");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.headers().allValues("Set-Cookie").toString()).doesNotContain(Wanderer.SESSION_COOKIE);
    }

    private String ada() {
        return "jwt:ada@" + provider.url();
    }

    @Test
    void whoLogsInAtTheProviderIsAtTheConsole() {
        Wanderer ada = newBrowser();
        assertThat(ada.get(Wanderer.SESSION).json().path("signOn").asText()).isEqualTo(Wanderer.BEGIN);
        String there = ada.begin("/console/executions?state=FAILED");
        String ticket = ada.cookie(Wanderer.LOGIN_COOKIE);
        String back = ada.agree(there);
        Answer in = ada.get(back);

        assertThat(in.status()).as(in.toString()).isEqualTo(303);
        assertThat(in.header("Location")).isEqualTo("/console/executions?state=FAILED");
        assertThat(in.headers().allValues("Set-Cookie"))
                .hasSize(2)
                .anyMatch(cookie -> cookie.contains(Wanderer.SESSION_COOKIE)
                        && cookie.contains("; HttpOnly; SameSite=Strict")
                        && cookie.contains("Path=/;"));
        assertThat(ada.cookies()).containsOnlyKeys(Wanderer.SESSION_COOKIE);
        JsonNode session = ada.get(Wanderer.SESSION).json();
        assertThat(session.path("signedIn").asBoolean()).isTrue();
        assertThat(session.path("name").asText()).isEqualTo("Ada Lovelace");
        assertThat(session.path("keyId").asText()).isEqualTo(ada());
        assertThat(session.path("tenant").asText()).isEqualTo(OpenIdProvider.TENANT);
        assertThat(session.path("roles").toString()).isEqualTo("[\"submitter\"]");
        Instant end = Instant.parse(session.path("expiresAt").asText());
        assertThat(end).isBefore(Instant.now().plusSeconds(302));
        assertThat(ada.get(Api.EXECUTIONS).status()).isEqualTo(200);
        assertThat(ada.get("/api/v1/api-keys").status()).isEqualTo(403);
        String code = "{\"code\": \"return 1\"}";
        assertThat(admin.send(ada.request(Api.EXECUTIONS)
                                .header("Content-Type", "application/json")
                                .POST(Api.body(code)))
                        .status())
                .isEqualTo(403);
        assertThat(admin.send(ada.request(Api.EXECUTIONS)
                                .header("Content-Type", "application/json")
                                .header("X-Sallyport-CSRF", session.path("csrf").asText())
                                .POST(Api.body(code)))
                        .status())
                .isEqualTo(202);
        assertThat(admin.get("/api/v1/audit?limit=50&actor=" + ada()).json().toString())
                .contains("session.open", "console");
        assertThat(server.logText())
                .doesNotContain(
                        OpenIdProvider.SECRET,
                        ticket,
                        back,
                        "opaque-access-token",
                        session.path("csrf").asText());
    }

    @Test
    void leavingEndsTheSession() {
        Wanderer ada = newBrowser();
        ada.logIn("");
        JsonNode session = ada.get(Wanderer.SESSION).json();
        assertThat(session.path("goodbye").asText())
                .isEqualTo(provider.url() + "/logout?client_id=sallyport+console&post_logout_redirect_uri=http%3A%2F%2F"
                        + "127.0.0.1%3A" + server.url().getPort() + "%2Fconsole");
        admin.send(ada.request(Wanderer.SESSION)
                        .header("X-Sallyport-CSRF", session.path("csrf").asText())
                        .DELETE())
                .expect(204);
        assertThat(ada.get(Api.EXECUTIONS).status()).isEqualTo(401);
    }

    @Test
    void inABrowserOneComesBackToThePageThatOneWanted() {
        try (Chromium chromium = Chromium.start();
                Visitor visitor = Visitor.at(chromium, server.url())) {
            provider.says(claims -> claims.claim("name", HOSTILE));
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
            assertThat(visitor.complaints()).isEmpty();

            page.navigate(server.url() + "/console/oidc/callback?code=x&state=y");
            assertThat(visitor.heading("Not logged in")).isVisible();
            page.screenshot(new Page.ScreenshotOptions().setPath(Path.of("target", "oidc-failure.png")));
            page.getByText("Go to the login page").click();
            assertThat(page.getByLabel("API key")).isVisible();
        }
    }

    @Test
    void anAnswerCountsInTheBrowserThatBeganAndOnce() {
        Wanderer ada = newBrowser();
        String back = ada.agree(ada.begin(""));
        String ticket = ada.cookie(Wanderer.LOGIN_COOKIE);
        int before = provider.redemptions();

        turnedAway("no cookie", newBrowser().get(back), 400, "login-state");
        Wanderer eve = newBrowser();
        eve.begin("");
        turnedAway("another's cookie", eve.get(back), 400, "login-state");
        Wanderer twice = newBrowser();
        twice.cookies().put(Wanderer.LOGIN_COOKIE, ticket);
        turnedAway("no state", twice.get(back.replace("state=", "x=")), 400, "login-state");
        twice.cookies().put(Wanderer.LOGIN_COOKIE, ticket);
        turnedAway("two states", twice.get(back + "&state=x"), 400, "login-state");
        for (String wrong : List.of("", ".", "x", ticket + "x", ticket.replaceFirst("\\.[0-9]+\\.", ".9999999999."))) {
            twice.cookies().put(Wanderer.LOGIN_COOKIE, wrong);
            turnedAway("ticket " + wrong, twice.get(back), 400, "login-state");
        }
        assertThat(provider.redemptions()).isEqualTo(before);

        assertThat(ada.get(back).status()).isEqualTo(303);
        ada.cookies().put(Wanderer.LOGIN_COOKIE, ticket);
        turnedAway("used", ada.get(back), 400, "login-state");
        assertThat(provider.redemptions()).isEqualTo(before + 1);
    }

    @Test
    void aCodeOfAnotherLoginIsNotRedeemed() {
        Wanderer victim = newBrowser();
        String stolen = victim.agree(victim.begin(""));
        Wanderer eve = newBrowser();
        String own = eve.agree(eve.begin(""));

        String code = stolen.replaceAll(".*[?&]code=([^&]*).*", "$1");
        turnedAway("a stolen code", eve.get(own.replaceAll("code=[^&]*", "code=" + code)), 403, "login-refused");
        Wanderer other = newBrowser();
        other.agree(other.begin(""));
    }

    @Test
    void anAnswerOfAnotherProviderIsRefused() {
        int before = provider.redemptions();
        Wanderer ada = newBrowser();
        String back = ada.agree(ada.begin(""));
        turnedAway(
                "another iss", ada.get(back.replaceAll("iss=[^&]*", "iss=https://evil.example")), 403, "login-refused");
        back = ada.agree(ada.begin(""));
        turnedAway("no iss", ada.get(back.replaceAll("&iss=[^&]*", "")), 403, "login-refused");
        assertThat(provider.redemptions()).isEqualTo(before);
    }

    @Test
    void whatTheProviderSaysAgainstItIsNotShown() {
        Wanderer ada = newBrowser();
        String back = ada.agree(ada.begin(""));
        Answer denied = ada.get(back.replaceAll(
                "code=[^&]*", "error=access_denied&error_description=%3Cscript%3Ealert(1)%3C/script%3E"));
        turnedAway("denied", denied, 403, "login-denied");
        assertThat(denied.text()).doesNotContain("alert(1)", "<script");
    }

    private void refused(String what) {
        Wanderer ada = newBrowser();
        turnedAway(what, ada.logIn(""), 403, "login-refused");
        assertThat(ada.get(Wanderer.SESSION).json().path("signedIn").asBoolean())
                .as(what)
                .isFalse();
        provider.recovers();
    }

    private SignedJWT signed(JWSHeader header, JWTClaimsSet claims) {
        return new SignedJWT(header, claims);
    }

    /** An ID token of another login, one without a signature, and one that another key signed. */
    @Test
    void noForgedIdTokenLogsAnybodyIn() {
        provider.says(change -> change.claim("nonce", "n".repeat(43)));
        refused("another nonce");
        provider.signs(all -> new PlainJWT(all).serialize());
        refused("alg none");
        provider.signs(all -> Issuer.sign(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("op1").build(), all, Issuer.key("op1")));
        refused("another key");
        assertThat(server.logText()).contains("a token was refused: login", "a token was refused: algorithm");
        assertThat(newBrowser().logIn("").status()).isEqualTo(303);
    }

    @Test
    @Tag("slow")
    void noHostileIdTokenLogsAnybodyIn() {
        Instant now = Instant.now();
        Map<String, Consumer<JWTClaimsSet.Builder>> claims = new LinkedHashMap<>();
        claims.put("no nonce", change -> change.claim("nonce", null));
        claims.put("another audience", change -> change.audience(Issuer.AUDIENCE));
        claims.put("two audiences and no party", change -> change.audience(List.of(OpenIdProvider.CLIENT, "other")));
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
            provider.says(change);
            refused(what);
        });
        Map<String, Function<JWTClaimsSet, String>> signers = new LinkedHashMap<>();
        signers.put("HS256 with the public key", this::confused);
        signers.put("an access token", all -> typed("at+jwt", all));
        signers.put(
                "huge",
                all -> provider.sign(new JWTClaimsSet.Builder(all)
                        .claim("x", "x".repeat(9_000))
                        .build()));
        signers.put("nothing", all -> "a.b.c");
        signers.forEach((what, signer) -> {
            provider.signs(signer);
            refused(what);
        });
        assertThat(newBrowser().logIn("").status()).isEqualTo(303);
    }

    private String confused(JWTClaimsSet claims) {
        try {
            SignedJWT token = signed(
                    new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("op1").build(), claims);
            token.sign(new MACSigner(provider.key().toPublicKey().getEncoded()));
            return token.serialize();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    private String typed(String type, JWTClaimsSet claims) {
        try {
            SignedJWT token = signed(
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

    /** Whoever gets hold of what logs somebody in can do nothing else with it. */
    @Test
    void anIdTokenIsNoTokenForTheApi() {
        String[] seen = new String[1];
        provider.signs(claims -> {
            seen[0] = provider.sign(claims);
            return seen[0];
        });
        assertThat(newBrowser().logIn("").status()).isEqualTo(303);
        assertThat(admin.as(seen[0]).get(Api.EXECUTIONS).status()).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"//evil.example", "https://evil.example/console", "/console/\\evil.example"})
    void noLoginLeadsToAnotherSite(String returnTo) {
        assertThat(newBrowser().logIn(returnTo).header("Location")).isEqualTo("/console");
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
    void whatIsNoPageOfTheConsoleLeadsToItsFirst(String returnTo) {
        noLoginLeadsToAnotherSite(returnTo);
    }

    @Test
    void anotherSiteBeginsNoLogin() {
        Answer answer = admin.send(newBrowser().request(Wanderer.BEGIN).header("Sec-Fetch-Site", "cross-site"));
        assertThat(answer.status()).isEqualTo(303);
        assertThat(answer.header("Location")).isEqualTo("/console");
        assertThat(answer.header("Set-Cookie")).isEmpty();
        assertThat(admin.send(newBrowser().request(Wanderer.BEGIN).POST(Api.body("")))
                        .status())
                .isEqualTo(405);
    }

    /** What somebody had planted before is not the session of who logs in. */
    @Test
    void aLoginIsANewSession() {
        Wanderer ada = newBrowser();
        ada.logIn("");
        String first = ada.cookie(Wanderer.SESSION_COOKIE);
        ada.logIn("");
        assertThat(ada.cookie(Wanderer.SESSION_COOKIE)).isNotEqualTo(first);
        ada.cookies().put(Wanderer.SESSION_COOKIE, "A".repeat(43));
        ada.logIn("");
        assertThat(ada.cookie(Wanderer.SESSION_COOKIE)).isNotEqualTo("A".repeat(43));
    }

    @Test
    void whoHasNoRoleIsToldSo() {
        provider.says(claims -> claims.claim("groups", List.of("Submitters", "submitter")));
        turnedAway("no role", newBrowser().logIn(""), 403, "login-no-role");
        provider.says(claims -> claims.claim("groups", null));
        turnedAway("no group", newBrowser().logIn(""), 403, "login-no-role");
    }

    @Test
    void whoIsBlockedIsOutWithinMoments() {
        provider.says(claims -> claims.subject("mallory"));
        Wanderer mallory = newBrowser();
        mallory.logIn("");
        assertThat(mallory.get(Api.EXECUTIONS).status()).isEqualTo(200);
        Answer block = admin.post(
                        BLOCKED,
                        "{\"issuer\": \"" + provider.url() + "\", \"subject\": \"mallory\", \"reason\": \"has left\"}")
                .expect(201);
        try {
            Await.until(
                    "the session is over",
                    SOON,
                    () -> mallory.get(Api.EXECUTIONS).status() == 401);
            turnedAway("blocked", mallory.logIn(""), 403, "login-refused");
            assertThat(admin.get("/api/v1/audit?limit=50&actor=jwt:mallory@" + provider.url())
                            .json()
                            .toString())
                    .contains("token.use", "blocked");
        } finally {
            String entry = BLOCKED + "/" + block.json().path("id").asText();
            admin.send(admin.request(entry).DELETE()).expect(204);
        }
    }

    @Test
    @Tag("slow")
    void aSessionEndsWithItsToken() {
        Instant end = Instant.now().plusSeconds(12);
        provider.says(claims -> claims.expirationTime(Date.from(end)));
        Wanderer ada = newBrowser();
        assertThat(ada.logIn("").status()).isEqualTo(303);
        assertThat(ada.get(Api.EXECUTIONS).status()).isEqualTo(200);
        Await.until(
                "the session is over",
                Duration.ofSeconds(60),
                () -> ada.get(Api.EXECUTIONS).status() == 401);
        assertThat(Instant.now()).isAfterOrEqualTo(end.minusSeconds(1));
        Timing.assertAtMost(Duration.ofSeconds(25), Duration.between(end, Instant.now()));
    }

    @Test
    void whileTheProviderFailsNobodyIsLoggedIn() {
        assertProviderFailure("500", exchange -> OpenIdProvider.send(exchange, 500, "<b>no</b>"));
        assertProviderFailure(
                "no ID token", exchange -> OpenIdProvider.send(exchange, 200, "{\"access_token\":\"x\"}"));
        assertProviderFailure("a redirect", exchange -> {
            exchange.getResponseHeaders().set("Location", provider.url() + "/keys");
            OpenIdProvider.send(exchange, 307, "");
        });
        assertThat(server.logText()).doesNotContain(OpenIdProvider.SECRET, "<b>no</b>");
    }

    @Test
    @Tag("slow")
    void aProviderThatFailsHoldsNobodyUp() {
        CountDownLatch over = new CountDownLatch(1);
        try {
            assertProviderFailure(
                    "401", exchange -> OpenIdProvider.send(exchange, 401, "{\"error\":\"invalid_client\"}"));
            assertProviderFailure("no JSON", exchange -> OpenIdProvider.send(exchange, 200, "<html>"));
            assertProviderFailure(
                    "two ID tokens",
                    exchange -> OpenIdProvider.send(exchange, 200, "{\"id_token\":\"x\",\"id_token\":\"y\"}"));
            assertProviderFailure("no end", OidcIT::endless);
            assertProviderFailure("silence", exchange -> {
                try {
                    over.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        } finally {
            over.countDown();
        }
        assertThat(server.logText()).doesNotContain(OpenIdProvider.SECRET);
    }

    /** Fails unless a login ends with the page {@code login-provider} if the token endpoint answers like this. */
    private void assertProviderFailure(String what, HttpHandler redemption) {
        provider.redeems(redemption);
        Wanderer ada = newBrowser();
        String back = ada.agree(ada.begin(""));
        long begin = System.nanoTime();
        turnedAway(what, ada.get(back), 502, "login-provider");
        Timing.assertAtMostSince(begin, SOON);
    }

    private static void endless(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        byte[] much = new byte[64 << 10];
        try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < 1_000; i++) {
                out.write(much);
            }
        }
    }
}
