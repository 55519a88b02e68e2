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
 * @param authorizationEndpoint where people log in
 * @param tokenEndpoint where a login is redeemed
 * @param endSessionEndpoint where people log out; empty when it has no such place
 * @param sendsIssuer whether it says who it is when it sends people back (RFC 9207)
 * @param usesClientSecretPost whether the client's secret goes into the form, since it takes no other
 */
record OidcProviderMetadata(
        URI authorizationEndpoint,
        URI tokenEndpoint,
        Optional<URI> endSessionEndpoint,
        boolean sendsIssuer,
        boolean usesClientSecretPost) {

    /** Where an issuer describes itself; {@link IllegalArgumentException} when its name is no URL. */
    static URI metadataUri(String issuer) {
        String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
        return URI.create(base + "/.well-known/openid-configuration");
    }

    /** Reads a description; {@link IOException} when it is another issuer's, or leads where nobody is sent. */
    static OidcProviderMetadata parse(String issuer, String document) throws IOException {
        JsonNode said;
        try {
            said = StrictClaimsParser.parseObject(document);
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
        return new OidcProviderMetadata(
                authorization,
                token,
                Optional.ofNullable(url(said, "end_session_endpoint")),
                said.path("authorization_response_iss_parameter_supported").asBoolean(),
                // Without the member it is basic authentication.
                methods.isArray()
                        && !contains(methods, "client_secret_basic")
                        && contains(methods, "client_secret_post"));
    }

    private static boolean contains(JsonNode names, String name) {
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
            return IssuerHttpClient.isAllowedUrl(url) ? url : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
