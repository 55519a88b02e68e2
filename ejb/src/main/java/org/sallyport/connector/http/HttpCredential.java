package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
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

    /** Resolves the value and formats the header. */
    String headerValue(SecretReferences secrets) {
        String resolved = secrets.resolve(value);
        return prefix
                + (basic ? Base64.getEncoder().encodeToString(resolved.getBytes(StandardCharsets.UTF_8)) : resolved);
    }

    /**
     * Maps the configured credentials to the security schemes of the document; throws {@link InvalidBackendException}
     * for a scheme that is not supported.
     */
    static List<HttpCredential> of(ImportedOpenApiDocument document, Map<String, String> given) {
        JsonNode schemes = document.root().path("components").path("securitySchemes");
        List<HttpCredential> credentials = new ArrayList<>();
        TreeSet<String> headers = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        given.forEach((name, value) -> {
            HttpCredential credential = of(name, document.resolve(schemes.path(name)), value);
            if (!headers.add(credential.header())) {
                throw fault(name, "is a second one in the header '" + credential.header() + "'");
            }
            credentials.add(credential);
        });
        return credentials;
    }

    private static HttpCredential of(String name, JsonNode scheme, String value) {
        String type = scheme.path("type").asText();
        switch (type) {
            case "apiKey" -> {
                String in = scheme.path("in").asText();
                String header = scheme.path("name").asText();
                if (in.equals("header") && !header.isEmpty()) {
                    return new HttpCredential(name, header, "", false, value);
                } else if (in.equals("cookie") && !header.isEmpty()) {
                    return new HttpCredential(name, "Cookie", header + "=", false, value);
                }
                throw fault(
                        name,
                        "would be sent in the " + ImportedOpenApiDocument.abbreviate(in) + ", where others may see it");
            }
            case "http" -> {
                String how = scheme.path("scheme").asText().toLowerCase(Locale.ROOT);
                if (how.equals("basic")) {
                    return new HttpCredential(name, "Authorization", "Basic ", true, value);
                } else if (how.equals("bearer")) {
                    return new HttpCredential(name, "Authorization", "Bearer ", false, value);
                }
                throw fault(
                        name,
                        "is of the scheme '" + ImportedOpenApiDocument.abbreviate(how) + "', which is not supported");
            }
            case "oauth2", "openIdConnect" -> {
                return new HttpCredential(name, "Authorization", "Bearer ", false, value);
            }
            default -> throw fault(name, "is not a supported security scheme of the document");
        }
    }

    private static InvalidBackendException fault(String name, String reason) {
        return new InvalidBackendException("settings.credentials." + name, reason);
    }
}
