package org.sallyport.web.login;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.sallyport.identity.token.OidcLoginService;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.audit.InMemoryAuditStore;

/** The start and end of a login without a provider, or with an unreachable one. The rest needs a real provider. */
class LoginServletTest {
    private final InMemoryAuditStore audit = new InMemoryAuditStore();

    private FakeHttpExchange ask(OidcLoginService logins, FakeHttpExchange exchange) throws IOException {
        LoginServlet servlet = new LoginServlet();
        servlet.logins = logins;
        servlet.auditRecorder = audit.recorder();
        servlet.service(exchange.request(), exchange.response());
        return exchange;
    }

    private FakeHttpExchange away(FakeHttpExchange exchange) throws IOException {
        return ask(OidcLoginFixtures.unreachable("http://127.0.0.1:8080"), exchange);
    }

    @Test
    void loginPathsAreNotFoundWithoutAProvider() throws IOException {
        for (String path : new String[] {LoginServlet.LOGIN_PATH, LoginServlet.CALLBACK_PATH}) {
            FakeHttpExchange nothing = ask(OidcLoginFixtures.none(), new FakeHttpExchange("GET", path));
            assertThat(nothing.status()).isEqualTo(404);
            assertThat(nothing.header("Content-Type")).hasValue("application/problem+json");
        }
    }

    @Test
    void unreachableProviderIsReportedOnAPage() throws IOException {
        FakeHttpExchange page = away(new FakeHttpExchange("GET", LoginServlet.LOGIN_PATH));

        assertThat(page.status()).isEqualTo(502);
        assertThat(page.header("Content-Type")).hasValue("text/html; charset=utf-8");
        assertThat(page.header("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "frame-ancestors 'none'");
        assertThat(page.text()).contains("<code>login-provider</code>", "href=\"/console\"");
        assertThat(page.header("Set-Cookie")).isEmpty();
        assertThat(audit.actions()).containsExactly("session.open");
    }

    @Test
    void callbackWithoutAStartedLoginIsRefused() throws IOException {
        FakeHttpExchange page = away(new FakeHttpExchange("GET", LoginServlet.CALLBACK_PATH));

        assertThat(page.status()).isEqualTo(400);
        assertThat(page.text()).contains("<code>login-state</code>");
        assertThat(page.header("Set-Cookie").orElseThrow()).contains("Max-Age=0");
    }

    @Test
    void otherSiteCannotStartALogin() throws IOException {
        FakeHttpExchange sent =
                away(new FakeHttpExchange("GET", LoginServlet.LOGIN_PATH).withHeader("Sec-Fetch-Site", "cross-site"));
        assertThat(sent.status()).isEqualTo(303);
        assertThat(sent.header("Location")).hasValue("/console");
        assertThat(sent.header("Set-Cookie")).isEmpty();
    }

    @Test
    void otherMethodsAreRefused() throws IOException {
        assertThat(away(new FakeHttpExchange("POST", LoginServlet.CALLBACK_PATH))
                        .status())
                .isEqualTo(405);
    }

    @Test
    void loginCookieOverTlsCannotBePlantedByAnotherHost() {
        assertThat(LoginCookie.set("t", true))
                .isEqualTo("__Host-sallyport-login=t; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600");
        assertThat(LoginCookie.set("t", false))
                .isEqualTo("sallyport-login=t; Path=/console/oidc; HttpOnly; SameSite=Lax; Max-Age=600");
        FakeHttpExchange planted =
                new FakeHttpExchange("GET", LoginServlet.CALLBACK_PATH).withHeader("Cookie", "sallyport-login=t");
        assertThat(LoginCookie.read(planted.request(), true)).isEmpty();
        assertThat(LoginCookie.read(planted.request(), false)).isEqualTo("t");
    }
}
