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

/**
 * An HTTP client that logs in at the console through an OpenID provider, without a browser. Keeps the console's
 * cookies.
 */
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

    /** The cookies of the console, by name. */
    Map<String, String> cookies() {
        return cookies;
    }

    /** Returns the value of a cookie. Throws {@link AssertionError} if there is none with this name. */
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

    /** Sends a GET request to the console and stores the cookies of the response. */
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

    /** Starts a login. Returns the provider URL to which the console redirects. */
    String startLogin(String returnTo) {
        RestResponse begun = get(LOGIN_PATH + "?returnTo=" + URLEncoder.encode(returnTo, StandardCharsets.UTF_8))
                .expectStatus(303);
        assertThat(begun.header("Set-Cookie"))
                .contains(LOGIN_COOKIE, "; HttpOnly", "; SameSite=Lax", "; Max-Age=600", "; Path=/console/oidc");
        return begun.header("Location");
    }

    /** Approves the login at the provider. Returns path and query of the redirect back to the console. */
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

    /** Performs the whole login and returns the response of the console to the redirect. */
    RestResponse logIn(String returnTo) {
        return get(authorizeAtProvider(startLogin(returnTo)));
    }
}
