package org.sallyport.identity.token;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Metadata of a provider (OpenID Connect Discovery 1.0, 3) as far as a login needs it.
 *
 * @param authorizationEndpoint endpoint at which people log in
 * @param tokenEndpoint endpoint that exchanges the code
 * @param endSessionEndpoint endpoint at which people log out; empty when the provider has none
 * @param sendsIssuer whether the authorization response contains the issuer (RFC 9207)
 * @param usesClientSecretPost whether the client secret is sent in the form, because the provider supports no other
 *     method
 */
record OidcProviderMetadata(
        URI authorizationEndpoint,
        URI tokenEndpoint,
        Optional<URI> endSessionEndpoint,
        boolean sendsIssuer,
        boolean usesClientSecretPost) {

    /**
     * Returns the URL of an issuer's metadata. Throws {@link IllegalArgumentException} when the issuer is not a URL.
     */
    static URI metadataUri(String issuer) {
        String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
        return URI.create(base + "/.well-known/openid-configuration");
    }

    /** Parses metadata. Throws {@link IOException} when it belongs to another issuer or contains a forbidden URL. */
    static OidcProviderMetadata parse(String issuer, String document) throws IOException {
        JsonNode said;
        try {
            said = StrictClaimsParser.parseObject(document);
        } catch (JacksonException e) {
            throw new IOException("the metadata of " + issuer + " is not a JSON object", e);
        }
        if (!said.path("issuer").asText().equals(issuer)) {
            throw new IOException("the metadata of " + issuer + " belongs to another issuer");
        }
        @Nullable URI authorization = url(said, "authorization_endpoint");
        @Nullable URI token = url(said, "token_endpoint");
        if (authorization == null || token == null) {
            throw new IOException("the metadata of " + issuer
                    + " has no authorization_endpoint or token_endpoint with https or on a loopback address");
        }
        JsonNode methods = said.path("token_endpoint_auth_methods_supported");
        return new OidcProviderMetadata(
                authorization,
                token,
                Optional.ofNullable(url(said, "end_session_endpoint")),
                said.path("authorization_response_iss_parameter_supported").asBoolean(),
                // Without this member the default is basic authentication.
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

    /** Browsers go there too. Only web addresses are allowed, so that no URL is a script. */
    private static @Nullable URI url(JsonNode said, String member) {
        try {
            URI url = URI.create(said.path(member).asText());
            return IssuerHttpClient.isAllowedUrl(url) ? url : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
