package org.sallyport.token;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a provider says of itself (OpenID Connect Discovery 1.0, 3), as far as a login needs it.
 *
 * @param authorization where people log in
 * @param token where a login is redeemed
 * @param end where people log out; empty when it has no such place
 * @param namesItself whether it says who it is when it sends people back (RFC 9207)
 * @param postsSecrets whether the client's secret goes into the form, since it takes no other
 */
record Provider(URI authorization, URI token, Optional<URI> end, boolean namesItself, boolean postsSecrets) {

    /** Where an issuer describes itself; {@link IllegalArgumentException} when its name is no URL. */
    static URI description(String issuer) {
        String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
        return URI.create(base + "/.well-known/openid-configuration");
    }

    /** Reads a description; {@link IOException} when it is another issuer's, or leads where nobody is sent. */
    static Provider read(String issuer, String document) throws IOException {
        JsonNode said;
        try {
            said = StrictClaims.object(document);
        } catch (JacksonException e) {
            throw new IOException("the description of " + issuer + " is no JSON object", e);
        }
        if (!said.path("issuer").asText().equals(issuer)) {
            throw new IOException("the description of " + issuer + " is of another issuer");
        }
        @Nullable URI authorization = url(said, "authorization_endpoint");
        @Nullable URI token = url(said, "token_endpoint");
        if (authorization == null || token == null) {
            throw new IOException("the description of " + issuer
                    + " has no authorization_endpoint and token_endpoint with https, or on a loopback address");
        }
        JsonNode methods = said.path("token_endpoint_auth_methods_supported");
        return new Provider(
                authorization,
                token,
                Optional.ofNullable(url(said, "end_session_endpoint")),
                said.path("authorization_response_iss_parameter_supported").asBoolean(),
                // Without the member it is basic authentication.
                methods.isArray() && !has(methods, "client_secret_basic") && has(methods, "client_secret_post"));
    }

    private static boolean has(JsonNode names, String name) {
        for (JsonNode each : names) {
            if (each.asText().equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** Also browsers go there: to nothing but pages of the web, so that no address is a script. */
    private static @Nullable URI url(JsonNode said, String member) {
        try {
            URI url = URI.create(said.path(member).asText());
            return KeyFetch.isAllowed(url) ? url : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
