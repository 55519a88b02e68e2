package org.sallyport.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;

/** Somebody without a browser who goes from the console to a provider and back, and keeps the console's cookies. */
final class OidcHttpClient {
    static final String SESSION_PATH = "/console/session";
    static final String LOGIN_PATH = "/console/oidc/login";
    static final String SESSION_COOKIE = "sallyport-session";
    static final String LOGIN_COOKIE = "sallyport-login";

    private final HttpClient http = HttpClient.newHttpClient();
    private final RestClient api;
    private final Map<String, String> cookies = new LinkedHashMap<>();

    OidcHttpClient(RestClient api) {
        this.api = api.withoutKey();
    }

    /** What the console has him keep, by name. */
    Map<String, String> cookies() {
        return cookies;
    }

    /** The value of one; {@link AssertionError} when it is not there. */
    String cookie(String name) {
        String value = cookies.get(name);
        if (value == null) {
            throw new AssertionError("no cookie " + name + " among " + cookies.keySet());
        }
        return value;
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = api.request(path);
        if (!cookies.isEmpty()) {
            request.header(
                    "Cookie",
                    cookies.entrySet().stream()
                            .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                            .collect(Collectors.joining("; ")));
        }
        return request;
    }

    /** Asks the console for something. */
    RestResponse get(String path) {
        return storeCookies(api.send(request(path)));
    }

    private RestResponse storeCookies(RestResponse answer) {
        for (String cookie : answer.headers().allValues("Set-Cookie")) {
            String[] pair = cookie.split(";", 2)[0].split("=", 2);
            if (cookie.contains("Max-Age=0")) {
                cookies.remove(pair[0]);
            } else {
                cookies.put(pair[0], pair[1]);
            }
        }
        return answer;
    }

    /** Begins; where at the provider he is sent. */
    String startLogin(String returnTo) {
        RestResponse begun = get(LOGIN_PATH + "?returnTo=" + URLEncoder.encode(returnTo, StandardCharsets.UTF_8))
                .expectStatus(303);
        assertThat(begun.header("Set-Cookie"))
                .contains(LOGIN_COOKIE, "; HttpOnly", "; SameSite=Lax", "; Max-Age=600", "; Path=/console/oidc");
        return begun.header("Location");
    }

    /** Says yes at the provider; with which address he is sent back, without the console's own. */
    String authorizeAtProvider(String provider) {
        try {
            HttpRequest yes = HttpRequest.newBuilder(URI.create(provider))
                    .POST(BodyPublishers.noBody())
                    .build();
            HttpResponse<String> answer = http.send(yes, BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(302);
            URI back = URI.create(answer.headers().firstValue("Location").orElseThrow());
            return back.getRawPath() + "?" + back.getRawQuery();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** The whole way, up to what the console says to who comes back. */
    RestResponse logIn(String returnTo) {
        return get(authorizeAtProvider(startLogin(returnTo)));
    }
}
