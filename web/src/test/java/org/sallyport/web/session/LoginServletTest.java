package org.sallyport.web.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.audit.AuditLog;
import org.sallyport.token.Logins;
import org.sallyport.web.Exchange;
import org.sallyport.web.audit.AuditInMemory;
import org.sallyport.web.audit.Deeds;

/** Where a login begins and ends, without a provider or with one that is not there; the rest takes a real one. */
class LoginServletTest {
    private final AuditInMemory audit = new AuditInMemory();

    private Exchange ask(Logins logins, Exchange exchange) throws IOException {
        LoginServlet servlet = new LoginServlet();
        servlet.logins = logins;
        servlet.deeds = new Deeds(new AuditLog(audit, UUID::randomUUID, System::nanoTime));
        servlet.service(exchange.request(), exchange.response());
        return exchange;
    }

    private Exchange away(Exchange exchange) throws IOException {
        return ask(TestLogins.unreachable("http://127.0.0.1:8080"), exchange);
    }

    @Test
    void withoutAProviderThereIsNoSuchPlace() throws IOException {
        for (String path : new String[] {LoginServlet.BEGIN, LoginServlet.CALLBACK}) {
            Exchange nothing = ask(TestLogins.none(), new Exchange("GET", path));
            assertThat(nothing.status()).isEqualTo(404);
            assertThat(nothing.header("Content-Type")).hasValue("application/problem+json");
        }
    }

    @Test
    void whileTheProviderIsAwayAPageSaysSo() throws IOException {
        Exchange page = away(new Exchange("GET", LoginServlet.BEGIN));

        assertThat(page.status()).isEqualTo(502);
        assertThat(page.header("Content-Type")).hasValue("text/html; charset=utf-8");
        assertThat(page.header("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "frame-ancestors 'none'");
        assertThat(page.text()).contains("<code>login-provider</code>", "href=\"/console\"");
        assertThat(page.header("Set-Cookie")).isEmpty();
        assertThat(audit.deeds()).containsExactly("session.open");
    }

    @Test
    void whoDidNotBeginIsToldToBegin() throws IOException {
        Exchange page = away(new Exchange("GET", LoginServlet.CALLBACK));

        assertThat(page.status()).isEqualTo(400);
        assertThat(page.text()).contains("<code>login-state</code>");
        assertThat(page.header("Set-Cookie").orElseThrow()).contains("Max-Age=0");
    }

    @Test
    void anotherSiteBeginsNothing() throws IOException {
        Exchange sent = away(new Exchange("GET", LoginServlet.BEGIN).with("Sec-Fetch-Site", "cross-site"));
        assertThat(sent.status()).isEqualTo(303);
        assertThat(sent.header("Location")).hasValue("/console");
        assertThat(sent.header("Set-Cookie")).isEmpty();
    }

    @Test
    void nothingElseIsDoneHere() throws IOException {
        assertThat(away(new Exchange("POST", LoginServlet.CALLBACK)).status()).isEqualTo(405);
    }

    @Test
    void overTlsNoOtherHostCanPlantTheCookie() {
        assertThat(LoginCookie.set("t", true))
                .isEqualTo("__Host-sallyport-login=t; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600");
        assertThat(LoginCookie.set("t", false))
                .isEqualTo("sallyport-login=t; Path=/console/oidc; HttpOnly; SameSite=Lax; Max-Age=600");
        Exchange planted = new Exchange("GET", LoginServlet.CALLBACK).with("Cookie", "sallyport-login=t");
        assertThat(LoginCookie.of(planted.request(), true)).isEmpty();
        assertThat(LoginCookie.of(planted.request(), false)).isEqualTo("t");
    }
}
