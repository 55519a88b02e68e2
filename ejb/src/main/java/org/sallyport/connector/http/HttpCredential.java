package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.SecretReferences;

/**
 * The header that a security scheme of an OpenAPI document requires.
 *
 * @param scheme name of the security scheme
 * @param header name of the header
 * @param prefix text before the value
 * @param basic whether the value, a user and a password separated by a colon, is encoded in Base64
 * @param value a secret, or a reference to one
 */
record HttpCredential(String scheme, String header, String prefix, boolean basic, String value) {
    private static final String AUTHORIZATION = "Authorization";
    private static final String COOKIE = "Cookie";

    /** Resolves the value and formats the header. */
    String headerValue(SecretReferences secrets) {
        String resolved = secrets.resolve(value);
        return prefix
                + (basic ? Base64.getEncoder().encodeToString(resolved.getBytes(StandardCharsets.UTF_8)) : resolved);
    }

    /** Returns the value of the header for two credentials, which are cookies. */
    static String join(String value, String other) {
        return value + "; " + other;
    }

    /** Whether the credential is a cookie, of which a request may have several. */
    boolean isCookie() {
        return header.equals(COOKIE);
    }

    /**
     * Maps the configured credentials to the security schemes of the document, except those that would be sent in the
     * query, where others may see them; throws {@link InvalidBackendException} for a scheme that is not supported.
     */
    static List<HttpCredential> of(ImportedOpenApiDocument document, Map<String, String> given) {
        List<HttpCredential> credentials = new ArrayList<>();
        given.forEach((name, value) -> {
            JsonNode scheme = document.securityScheme(name);
            if (!isKeyInQuery(scheme)) {
                credentials.add(of(name, scheme, value));
            }
        });
        return credentials;
    }

    private static boolean isKeyInQuery(JsonNode scheme) {
        return scheme.path("type").asText().equals("apiKey")
                && scheme.path("in").asText().equals("query");
    }

    /** Returns the header in which a security scheme is sent; empty if it is sent in none. */
    static Optional<String> headerName(JsonNode scheme) {
        return switch (scheme.path("type").asText()) {
            case "apiKey" ->
                switch (scheme.path("in").asText()) {
                    case "header" -> Optional.of(scheme.path("name").asText());
                    case "cookie" -> Optional.of(COOKIE);
                    default -> Optional.empty();
                };
            case "http", "oauth2", "openIdConnect" -> Optional.of(AUTHORIZATION);
            default -> Optional.empty();
        };
    }

    private static HttpCredential of(String name, JsonNode scheme, String value) {
        String type = scheme.path("type").asText();
        switch (type) {
            case "apiKey" -> {
                return ofApiKey(name, scheme, value);
            }
            case "http" -> {
                String how = scheme.path("scheme").asText().toLowerCase(Locale.ROOT);
                if (how.equals("basic")) {
                    return new HttpCredential(name, AUTHORIZATION, "Basic ", true, value);
                } else if (how.equals("bearer")) {
                    return new HttpCredential(name, AUTHORIZATION, "Bearer ", false, value);
                }
                throw fault(
                        name,
                        "is of the scheme '" + ImportedOpenApiDocument.abbreviate(how) + "', which is not supported");
            }
            case "oauth2", "openIdConnect" -> {
                return new HttpCredential(name, AUTHORIZATION, "Bearer ", false, value);
            }
            default -> throw fault(name, "is not a supported security scheme of the document");
        }
    }

    private static HttpCredential ofApiKey(String name, JsonNode scheme, String value) {
        String in = scheme.path("in").asText();
        String key = scheme.path("name").asText();
        if (!in.equals("header") && !in.equals("cookie")) {
            throw fault(
                    name,
                    "would be sent in the place '" + ImportedOpenApiDocument.abbreviate(in)
                            + "', which is not supported");
        }
        if (!GuardedHttpClient.isHeaderName(key)) {
            throw fault(name, "would be sent as '" + ImportedOpenApiDocument.abbreviate(key) + "', which is no name");
        }
        boolean cookie = in.equals("cookie");
        boolean cookies = cookie || key.equalsIgnoreCase(COOKIE);
        return new HttpCredential(name, cookies ? COOKIE : key, cookie ? key + "=" : "", false, value);
    }

    private static InvalidBackendException fault(String name, String reason) {
        return new InvalidBackendException("settings.credentials." + name, reason);
    }
}
