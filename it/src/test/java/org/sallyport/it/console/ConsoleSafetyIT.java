package org.sallyport.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;

/** What somebody beside the console tries: other origins, forged and lost sessions, files that are none. Without a browser. */
@ExtendWith(Servers.class)
class ConsoleSafetyIT {
    private static final String SESSION = "/console/session";
    private static final String GUARD = "X-Sallyport-CSRF";
    private static final String CODE = "{\"code\": \"return 'unguarded'\"}";

    private final SallyportServer server;
    private final Api stranger;

    ConsoleSafetyIT(SallyportServer server) {
        this.server = server;
        this.stranger = server.api().anonymous();
    }

    private record Session(String cookie, String guard) {}

    private Session logIn(String key) {
        Answer answer = stranger.post(SESSION, "{\"key\": \"" + key + "\"}").expect(200);
        String cookie = answer.header("Set-Cookie");
        assertThat(cookie).contains("HttpOnly", "SameSite=Strict", "Path=/").doesNotContain(key);
        return new Session(cookie.split(";", 2)[0], answer.json().path("csrf").asText());
    }

    private HttpRequest.Builder in(Session session, String path) {
        return stranger.request(path).header("Cookie", session.cookie());
    }

    private HttpRequest.Builder submission(Session session) {
        return in(session, Api.EXECUTIONS)
                .header("Content-Type", "application/json")
                .POST(Api.body(CODE));
    }

    @Test
    void aSessionDoesWhatItsKeyMay() {
        Session session = logIn(server.adminKey());

        assertThat(stranger.send(in(session, Api.EXECUTIONS)).status()).isEqualTo(200);
        assertThat(stranger.send(submission(session).header(GUARD, session.guard()))
                        .status())
                .isEqualTo(202);
        assertThat(stranger.send(in(session, SESSION)).json().path("roles").toString())
                .contains("admin");
    }

    /** The executions that only these tests submit: others have begun on this server, and what they begin may come now. */
    private List<String> unguarded() {
        return server.api().ids(item -> item.path("codePreview").asText().contains("unguarded"));
    }

    @Test
    void withoutTheGuardNothingIsChanged() {
        Session session = logIn(server.adminKey());
        List<String> before = unguarded();

        assertThat(stranger.send(submission(session)).problem()).isEqualTo("forbidden");
        assertThat(stranger.send(submission(session).header(GUARD, "0".repeat(64)))
                        .status())
                .isEqualTo(403);
        assertThat(stranger.send(submission(session)
                                .header(GUARD, logIn(server.adminKey()).guard()))
                        .status())
                .isEqualTo(403);
        assertThat(unguarded()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"Origin, http://evil.example", "Origin, null", "Sec-Fetch-Site, cross-site", "Sec-Fetch-Site, same-site"
    })
    void pagesOfOtherSitesHaveNoSession(String header, String value) {
        Session session = logIn(server.adminKey());

        assertThat(stranger.send(in(session, Api.EXECUTIONS).header(header, value))
                        .status())
                .isEqualTo(403);
        assertThat(stranger.send(submission(session)
                                .header(GUARD, session.guard())
                                .header(header, value))
                        .status())
                .isEqualTo(403);
        Answer loggingIn = stranger.send(stranger.request(SESSION)
                .header("Content-Type", "application/json")
                .header(header, value)
                .POST(Api.body("{\"key\": \"" + server.adminKey() + "\"}")));
        assertThat(loggingIn.status()).isEqualTo(403);
        assertThat(loggingIn.header("Set-Cookie")).isEmpty();
        assertThat(loggingIn.header("Access-Control-Allow-Origin")).isEmpty();
    }

    @Test
    void jsonThatIsSentAsATextIsNotRead() {
        Session session = logIn(server.adminKey());
        HttpRequest.Builder plain = in(session, Api.EXECUTIONS)
                .header("Content-Type", "text/plain")
                .header(GUARD, session.guard())
                .POST(Api.body(CODE));

        assertThat(stranger.send(plain).status()).isEqualTo(415);
        assertThat(stranger.send(stranger.request(SESSION)
                                .header("Content-Type", "text/plain")
                                .POST(Api.body("{}")))
                        .status())
                .isEqualTo(415);
    }

    @Test
    void aSessionIsOverWhenItIsLeftAndWhenItsKeyIsGone() {
        Session left = logIn(server.adminKey());
        assertThat(stranger.send(in(left, SESSION).DELETE()).status()).isEqualTo(403);
        assertThat(stranger.send(in(left, SESSION).header(GUARD, left.guard()).DELETE())
                        .status())
                .isEqualTo(204);
        assertThat(stranger.send(in(left, Api.EXECUTIONS)).status()).isEqualTo(401);

        var made = server.api()
                .post("/api/v1/api-keys", "{\"name\": \"for a while\", \"roles\": [\"submitter\"]}")
                .expect(201)
                .json();
        Session session = logIn(made.path("key").asText());
        assertThat(stranger.send(in(session, Api.EXECUTIONS)).status()).isEqualTo(200);
        assertThat(stranger.send(in(session, "/api/v1/api-keys")).status()).isEqualTo(403);
        server.api()
                .send(server.api()
                        .request("/api/v1/api-keys/" + made.path("id").asText())
                        .DELETE())
                .expect(204);
        assertThat(stranger.send(in(session, Api.EXECUTIONS)).status()).isEqualTo(401);
        assertThat(stranger.send(in(session, SESSION)).json().path("signedIn").asBoolean())
                .isFalse();
    }

    @Test
    void aWrongKeyAndAForgedSessionAreNobody() {
        assertThat(stranger.post(SESSION, "{\"key\": \"sp_nothing\"}").status()).isEqualTo(401);
        Session forged = new Session("sallyport-session=" + "A".repeat(43), "");
        assertThat(stranger.send(in(forged, Api.EXECUTIONS)).status()).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/console",
                "/console/",
                "/console/executions?state=RUNNING",
                "/console/nothing.js",
                "/console/session"
            })
    void everythingOfTheConsoleIsStrict(String path) {
        Answer answer = stranger.get(path);

        assertThat(answer.header("Content-Security-Policy"))
                .contains("default-src 'none'", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(answer.header("Cross-Origin-Opener-Policy")).isEqualTo("same-origin");
        assertThat(answer.header("Server")).isEmpty();
    }

    @Test
    void whatThePageNamesIsThereAndStrict() {
        String page = stranger.get("/console").expect(200).text();
        var addresses = Pattern.compile("(?:src|href)=\"([^\"]+)\"")
                .matcher(page)
                .results()
                .toList();

        assertThat(addresses).hasSizeGreaterThan(5);
        addresses.forEach(address -> {
            Answer file = stranger.get(address.group(1)).expect(200);
            assertThat(file.header("Content-Security-Policy")).contains("script-src 'self'");
            assertThat(file.header("Cache-Control")).contains("immutable");
            assertThat(file.header("Content-Type")).matches("(text/javascript|text/css|image/svg\\+xml).*");
        });
    }

    @Test
    void resultsAreKeptByNobody() {
        Session session = logIn(server.adminKey());

        assertThat(stranger.send(in(session, Api.EXECUTIONS)).header("Cache-Control"))
                .isEqualTo("no-store");
        assertThat(stranger.send(in(session, SESSION)).header("Cache-Control")).isEqualTo("no-store");
        assertThat(stranger.send(in(session, Api.EXECUTIONS + "/" + UUID.randomUUID()))
                        .status())
                .isEqualTo(404);
    }
}
