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
import org.sallyport.connector.Secrets;

/**
 * What a security scheme of a document has sent.
 *
 * @param header the header's name
 * @param before what stands before the value
 * @param basic whether the value, a user and a password apart by a colon, is sent in Base64
 * @param value a secret, or a reference to one
 */
record Credential(String header, String before, boolean basic, String value) {

    /** The header's value. */
    String text(Secrets secrets) {
        String resolved = secrets.resolve(value);
        return before
                + (basic ? Base64.getEncoder().encodeToString(resolved.getBytes(StandardCharsets.UTF_8)) : resolved);
    }

    /** Those that were given for schemes of the document; {@link InvalidBackendException} for a scheme that is not spoken. */
    static List<Credential> of(OpenApiDocument document, Map<String, String> given) {
        JsonNode schemes = document.root().path("components").path("securitySchemes");
        List<Credential> credentials = new ArrayList<>();
        TreeSet<String> headers = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        given.forEach((name, value) -> {
            Credential credential = of(name, document.resolved(schemes.path(name)), value);
            if (!headers.add(credential.header())) {
                throw fault(name, "is a second one in the header '" + credential.header() + "'");
            }
            credentials.add(credential);
        });
        return credentials;
    }

    private static Credential of(String name, JsonNode scheme, String value) {
        String type = scheme.path("type").asText();
        switch (type) {
            case "apiKey" -> {
                String in = scheme.path("in").asText();
                String header = scheme.path("name").asText();
                if (in.equals("header") && !header.isEmpty()) {
                    return new Credential(header, "", false, value);
                } else if (in.equals("cookie") && !header.isEmpty()) {
                    return new Credential("Cookie", header + "=", false, value);
                }
                throw fault(name, "would be sent in the " + OpenApiDocument.shown(in) + ", where others may see it");
            }
            case "http" -> {
                String how = scheme.path("scheme").asText().toLowerCase(Locale.ROOT);
                if (how.equals("basic")) {
                    return new Credential("Authorization", "Basic ", true, value);
                } else if (how.equals("bearer")) {
                    return new Credential("Authorization", "Bearer ", false, value);
                }
                throw fault(name, "is of the scheme '" + OpenApiDocument.shown(how) + "', which is not spoken");
            }
            case "oauth2", "openIdConnect" -> {
                return new Credential("Authorization", "Bearer ", false, value);
            }
            default -> throw fault(name, "is no security scheme of the document that is spoken");
        }
    }

    private static InvalidBackendException fault(String name, String reason) {
        return new InvalidBackendException("settings.credentials." + name, reason);
    }
}
