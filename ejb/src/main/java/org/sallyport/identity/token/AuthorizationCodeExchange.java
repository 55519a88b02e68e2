package org.sallyport.identity.token;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Exchanges an authorization code for an ID token (OpenID Connect Core 1.0, 3.1.3). Thread-safe. */
final class AuthorizationCodeExchange {
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;

    private final OidcClientConfig config;
    private final IssuerHttpClient httpClient;

    AuthorizationCodeExchange(OidcClientConfig rules, IssuerHttpClient fetch) {
        this.config = rules;
        this.httpClient = fetch;
    }

    /** Returns the unverified ID token. Throws {@link LoginException} when there is none. Discards the access token. */
    String exchangeForIdToken(OidcProviderMetadata provider, String code, LoginState ticket) throws LoginException {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("grant_type", "authorization_code");
        form.put("code", code);
        form.put("redirect_uri", config.redirectUri());
        form.put("code_verifier", ticket.verifier());
        Optional<String> authorization = Optional.empty();
        if (config.clientSecret().isEmpty()) {
            form.put("client_id", config.clientId());
        } else if (provider.usesClientSecretPost()) {
            form.put("client_id", config.clientId());
            form.put("client_secret", config.clientSecret());
        } else {
            authorization = Optional.of(basicAuthorization());
        }
        try {
            IssuerHttpClient.IssuerResponse reply =
                    httpClient.post(provider.tokenEndpoint(), formEncode(form), authorization);
            if (reply.status() == OK) {
                JsonNode token = StrictClaimsParser.parseObject(reply.body()).path("id_token");
                if (token.isTextual()) {
                    return token.textValue();
                }
                throw new IOException(provider.tokenEndpoint() + " answered without an ID token");
            } else if (reply.status() == BAD_REQUEST
                    && StrictClaimsParser.parseObject(reply.body())
                            .path("error")
                            .asText()
                            .equals("invalid_grant")) {
                throw new LoginException(LoginFailure.REFUSED, "the provider rejected the authorization code");
            }
            throw new IOException(provider.tokenEndpoint() + " answered with status " + reply.status());
        } catch (JacksonException e) {
            throw new LoginException(
                    LoginFailure.PROVIDER, provider.tokenEndpoint() + " did not answer with a JSON object");
        } catch (IOException e) {
            throw new LoginException(LoginFailure.PROVIDER, String.valueOf(e.getMessage()));
        }
    }

    /** RFC 6749, 2.3.1. */
    private String basicAuthorization() {
        String pair = urlEncode(config.clientId()) + ":" + urlEncode(config.clientSecret());
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.US_ASCII));
    }

    /** Encodes the body of a form, or a query. */
    static String formEncode(Map<String, String> members) {
        StringBuilder text = new StringBuilder();
        members.forEach((name, value) ->
                text.append(text.isEmpty() ? "" : "&").append(name).append('=').append(urlEncode(value)));
        return text.toString();
    }

    private static String urlEncode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
