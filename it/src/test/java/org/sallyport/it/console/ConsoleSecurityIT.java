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
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Attacks on the console without a browser: other origins, forged and expired sessions, and paths of files that do not
 * exist.
 */
@ExtendWith(ServerExtension.class)
class ConsoleSecurityIT {
    private static final String SESSION = "/console/session";
    private static final String CSRF_HEADER = "X-Sallyport-CSRF";
    private static final String SUBMISSION = "{\"code\": \"return 'unguarded'\"}";

    private final SallyportServer server;
    private final RestClient anonymousApi;

    ConsoleSecurityIT(SallyportServer server) {
        this.server = server;
        this.anonymousApi = server.api().withoutKey();
    }

    private record ConsoleLoginSession(String cookie, String csrfToken) {}

    private ConsoleLoginSession logIn(String key) {
        RestResponse answer =
                anonymousApi.post(SESSION, "{\"key\": \"" + key + "\"}").expectStatus(200);
        String cookie = answer.header("Set-Cookie");
        assertThat(cookie).contains("HttpOnly", "SameSite=Strict", "Path=/").doesNotContain(key);
        return new ConsoleLoginSession(
                cookie.split(";", 2)[0], answer.json().path("csrf").asText());
    }

    private HttpRequest.Builder requestIn(ConsoleLoginSession session, String path) {
        return anonymousApi.request(path).header("Cookie", session.cookie());
    }

    private HttpRequest.Builder submission(ConsoleLoginSession session) {
        return requestIn(session, RestClient.EXECUTIONS)
                .header("Content-Type", "application/json")
                .POST(RestClient.body(SUBMISSION));
    }

    @Test
    void sessionHasThePermissionsOfItsKey() {
        ConsoleLoginSession session = logIn(server.adminKey());

        assertThat(anonymousApi.send(requestIn(session, RestClient.EXECUTIONS)).status())
                .isEqualTo(200);
        assertThat(anonymousApi
                        .send(submission(session).header(CSRF_HEADER, session.csrfToken()))
                        .status())
                .isEqualTo(202);
        assertThat(anonymousApi
                        .send(requestIn(session, SESSION))
                        .json()
                        .path("roles")
                        .toString())
                .contains("admin");
    }

    /**
     * Ids of the executions that only these tests could have created. The filter is necessary because other tests share
     * this server.
     */
    private List<String> findOwnExecutions() {
        return server.api()
                .listExecutionIds(item -> item.path("codePreview").asText().contains("unguarded"));
    }

    @Test
    void changeWithoutAValidCsrfTokenIsRefused() {
        ConsoleLoginSession session = logIn(server.adminKey());
        List<String> before = findOwnExecutions();

        assertThat(anonymousApi.send(submission(session)).problemType()).isEqualTo("forbidden");
        assertThat(anonymousApi
                        .send(submission(session).header(CSRF_HEADER, "0".repeat(64)))
                        .status())
                .isEqualTo(403);
        assertThat(anonymousApi
                        .send(submission(session)
                                .header(CSRF_HEADER, logIn(server.adminKey()).csrfToken()))
                        .status())
                .isEqualTo(403);
        assertThat(findOwnExecutions()).isEqualTo(before);
    }

    @Test
    void streamThatCancelsOnCloseNeedsTheSessionsToken() {
        ConsoleLoginSession session = logIn(server.adminKey());
        String id = server.api().submit(SubmissionBody.javascript("return 1"));
        server.api().awaitEnd(id);
        String path = RestClient.EXECUTIONS + "/" + id + "/events";

        for (String flag : List.of("?cancelOnClose=true", "?%63ancelOnClose=true")) {
            assertThat(anonymousApi.send(requestIn(session, path + flag)).problemType())
                    .isEqualTo("forbidden");
            assertThat(anonymousApi
                            .send(requestIn(session, path + flag).header(CSRF_HEADER, session.csrfToken()))
                            .status())
                    .isEqualTo(200);
        }
        assertThat(anonymousApi.send(requestIn(session, path)).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"Origin, http://evil.example", "Origin, null", "Sec-Fetch-Site, cross-site", "Sec-Fetch-Site, same-site"
    })
    void crossSiteRequestsAreRefused(String header, String value) {
        ConsoleLoginSession session = logIn(server.adminKey());

        assertThat(anonymousApi
                        .send(requestIn(session, RestClient.EXECUTIONS).header(header, value))
                        .status())
                .isEqualTo(403);
        assertThat(anonymousApi
                        .send(submission(session)
                                .header(CSRF_HEADER, session.csrfToken())
                                .header(header, value))
                        .status())
                .isEqualTo(403);
        RestResponse loggingIn = anonymousApi.send(anonymousApi
                .request(SESSION)
                .header("Content-Type", "application/json")
                .header(header, value)
                .POST(RestClient.body("{\"key\": \"" + server.adminKey() + "\"}")));
        assertThat(loggingIn.status()).isEqualTo(403);
        assertThat(loggingIn.header("Set-Cookie")).isEmpty();
        assertThat(loggingIn.header("Access-Control-Allow-Origin")).isEmpty();
    }

    @Test
    void jsonSentAsPlainTextIsRefused() {
        ConsoleLoginSession session = logIn(server.adminKey());
        HttpRequest.Builder plain = requestIn(session, RestClient.EXECUTIONS)
                .header("Content-Type", "text/plain")
                .header(CSRF_HEADER, session.csrfToken())
                .POST(RestClient.body(SUBMISSION));

        assertThat(anonymousApi.send(plain).status()).isEqualTo(415);
        assertThat(anonymousApi
                        .send(anonymousApi
                                .request(SESSION)
                                .header("Content-Type", "text/plain")
                                .POST(RestClient.body("{}")))
                        .status())
                .isEqualTo(415);
    }

    @Test
    void sessionEndsOnLogoutAndWhenItsKeyIsDeleted() {
        ConsoleLoginSession left = logIn(server.adminKey());
        assertThat(anonymousApi.send(requestIn(left, SESSION).DELETE()).status())
                .isEqualTo(403);
        assertThat(anonymousApi
                        .send(requestIn(left, SESSION)
                                .header(CSRF_HEADER, left.csrfToken())
                                .DELETE())
                        .status())
                .isEqualTo(204);
        assertThat(anonymousApi.send(requestIn(left, RestClient.EXECUTIONS)).status())
                .isEqualTo(401);

        var created = server.api()
                .post("/api/v1/api-keys", "{\"name\": \"for a while\", \"roles\": [\"submitter\"]}")
                .expectStatus(201)
                .json();
        ConsoleLoginSession session = logIn(created.path("key").asText());
        assertThat(anonymousApi.send(requestIn(session, RestClient.EXECUTIONS)).status())
                .isEqualTo(200);
        assertThat(anonymousApi.send(requestIn(session, "/api/v1/api-keys")).status())
                .isEqualTo(403);
        server.api()
                .send(server.api()
                        .request("/api/v1/api-keys/" + created.path("id").asText())
                        .DELETE())
                .expectStatus(204);
        assertThat(anonymousApi.send(requestIn(session, RestClient.EXECUTIONS)).status())
                .isEqualTo(401);
        assertThat(anonymousApi
                        .send(requestIn(session, SESSION))
                        .json()
                        .path("signedIn")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void invalidKeyAndForgedSessionAreRefused() {
        assertThat(anonymousApi.post(SESSION, "{\"key\": \"sp_nothing\"}").status())
                .isEqualTo(401);
        ConsoleLoginSession forged = new ConsoleLoginSession("sallyport-session=" + "A".repeat(43), "");
        assertThat(anonymousApi.send(requestIn(forged, RestClient.EXECUTIONS)).status())
                .isEqualTo(401);
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
    void everyConsoleResponseHasStrictSecurityHeaders(String path) {
        RestResponse answer = anonymousApi.get(path);

        assertThat(answer.header("Content-Security-Policy"))
                .contains("default-src 'none'", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(answer.header("Cross-Origin-Opener-Policy")).isEqualTo("same-origin");
        assertThat(answer.header("Server")).isEmpty();
    }

    @Test
    void filesOfThePageExistWithStrictSecurityHeaders() {
        String page = anonymousApi.get("/console").expectStatus(200).text();
        var addresses = Pattern.compile("(?:src|href)=\"([^\"]+)\"")
                .matcher(page)
                .results()
                .toList();

        assertThat(addresses).hasSizeGreaterThan(5);
        addresses.forEach(address -> {
            RestResponse file = anonymousApi.get(address.group(1)).expectStatus(200);
            assertThat(file.header("Content-Security-Policy")).contains("script-src 'self'");
            assertThat(file.header("Cache-Control")).contains("immutable");
            assertThat(file.header("Content-Type")).matches("(text/javascript|text/css|image/svg\\+xml).*");
        });
    }

    @Test
    void responsesOfASessionAreNotCached() {
        ConsoleLoginSession session = logIn(server.adminKey());

        assertThat(anonymousApi.send(requestIn(session, RestClient.EXECUTIONS)).header("Cache-Control"))
                .isEqualTo("no-store");
        assertThat(anonymousApi.send(requestIn(session, SESSION)).header("Cache-Control"))
                .isEqualTo("no-store");
        assertThat(anonymousApi
                        .send(requestIn(session, RestClient.EXECUTIONS + "/" + UUID.randomUUID()))
                        .status())
                .isEqualTo(404);
    }
}
