package org.sallyport.token;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Redeems what a provider sent with somebody (OpenID Connect Core 1.0, 3.1.3): a code for an ID token. Thread-safe. */
final class Redemption {
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;

    private final LoginRules rules;
    private final KeyFetch fetch;

    Redemption(LoginRules rules, KeyFetch fetch) {
        this.rules = rules;
        this.fetch = fetch;
    }

    /** The ID token, which nobody has looked at; {@link LoginException} when there is none. The access token is not kept. */
    String idToken(Provider provider, String code, Ticket ticket) throws LoginException {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("grant_type", "authorization_code");
        form.put("code", code);
        form.put("redirect_uri", rules.redirect());
        form.put("code_verifier", ticket.verifier());
        Optional<String> authorization = Optional.empty();
        if (rules.secret().isEmpty()) {
            form.put("client_id", rules.client());
        } else if (provider.postsSecrets()) {
            form.put("client_id", rules.client());
            form.put("client_secret", rules.secret());
        } else {
            authorization = Optional.of(basic());
        }
        try {
            KeyFetch.Reply reply = fetch.post(provider.token(), form(form), authorization);
            if (reply.status() == OK) {
                JsonNode token = StrictClaims.object(reply.body()).path("id_token");
                if (token.isTextual()) {
                    return token.textValue();
                }
                throw new IOException(provider.token() + " answers without an ID token");
            } else if (reply.status() == BAD_REQUEST
                    && StrictClaims.object(reply.body()).path("error").asText().equals("invalid_grant")) {
                throw new LoginException(LoginFailure.REFUSED, "the provider does not take the code back");
            }
            throw new IOException(provider.token() + " answers " + reply.status());
        } catch (JacksonException e) {
            throw new LoginException(LoginFailure.PROVIDER, provider.token() + " answers what is no JSON object");
        } catch (IOException e) {
            throw new LoginException(LoginFailure.PROVIDER, String.valueOf(e.getMessage()));
        }
    }

    /** RFC 6749, 2.3.1. */
    private String basic() {
        String pair = encoded(rules.client()) + ":" + encoded(rules.secret());
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.US_ASCII));
    }

    /** The body of a form, or a query. */
    static String form(Map<String, String> members) {
        StringBuilder text = new StringBuilder();
        members.forEach((name, value) ->
                text.append(text.isEmpty() ? "" : "&").append(name).append('=').append(encoded(value)));
        return text.toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
