package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Chooses the base URLs of operations: the first server of the operation, otherwise of its path, otherwise of the
 * document. A configured base URL replaces the servers of the document. No server is used that the egress guard
 * refuses. Immutable.
 */
final class OpenApiServers {
    private static final Pattern VARIABLE = Pattern.compile("\\{([^{}]*)}");
    private static final String SERVERS = "servers";

    private static final int MAX_URL_LENGTH = 2_000;

    private final EgressGuard guard;
    private final Optional<String> configured;
    private final Optional<String> documentUrl;
    private final String standard;

    /**
     * The server of an operation.
     *
     * @param url base URL without a slash at its end; empty if it is the {@link #standard} one, or cannot be read
     * @param problem why it cannot be used, as a sentence about the operation; empty if it can
     */
    record OperationServer(Optional<String> url, Optional<String> problem) {
        private static final OperationServer STANDARD = new OperationServer(Optional.empty(), Optional.empty());
    }

    /**
     * Throws {@link org.sallyport.connector.InvalidBackendException} if no base URL is configured, and the server of
     * the document cannot be used.
     *
     * @param configured the base URL of the settings
     * @param documentUrl the URL of the document; empty if the document is in the settings
     */
    OpenApiServers(
            ImportedOpenApiDocument document,
            EgressGuard guard,
            Optional<String> configured,
            Optional<String> documentUrl) {
        this.guard = guard;
        this.configured = configured.map(HttpBackendType::withoutTrailingSlash);
        this.documentUrl = documentUrl;
        this.standard = this.configured.orElseGet(() -> standardServer(document.root()));
    }

    private String standardServer(JsonNode root) {
        try {
            String url = baseUrl(root.path(SERVERS).path(0));
            checkUsable(url, documentUrl.orElse(""));
            return url;
        } catch (OpenApiUnsupportedException e) {
            throw ImportedOpenApiDocument.invalid("has " + e.getMessage() + "; set 'baseUrl' or 'allowHosts'");
        }
    }

    /** The base URL of operations without servers of their own, without a slash at its end. */
    String standard() {
        return standard;
    }

    /** Returns the server of an operation. */
    OperationServer find(JsonNode pathItem, JsonNode operation) {
        for (JsonNode servers : new JsonNode[] {operation.path(SERVERS), pathItem.path(SERVERS)}) {
            if (servers.isArray() && !servers.isEmpty()) {
                return findOwn(servers.path(0));
            }
        }
        return OperationServer.STANDARD;
    }

    private OperationServer findOwn(JsonNode server) {
        Optional<String> url = Optional.empty();
        try {
            String base = baseUrl(server);
            if (base.equals(standard)) {
                return OperationServer.STANDARD;
            }
            url = Optional.of(base);
            checkUsable(base, standard);
            return new OperationServer(url, Optional.empty());
        } catch (OpenApiUnsupportedException e) {
            return new OperationServer(url, Optional.of("it has " + e.getMessage()));
        }
    }

    /**
     * Throws an exception whose message names the server, such as "a server without https".
     *
     * @param other a URL that the server takes the place of; if it is encrypted, the server must be, too, because it
     *     gets the same credentials
     */
    private void checkUsable(String base, String other) throws OpenApiUnsupportedException {
        if (isEncrypted(other) && !isEncrypted(base)) {
            throw new OpenApiUnsupportedException("a server without https");
        }
        if (base.indexOf('?') >= 0 || base.indexOf('#') >= 0) {
            throw new OpenApiUnsupportedException("a server with a query or a fragment");
        }
        try {
            guard.parseAllowed(base);
        } catch (EgressDeniedException e) {
            throw new OpenApiUnsupportedException("a server that may not be called: " + e.getMessage());
        }
    }

    private static boolean isEncrypted(String url) {
        return url.regionMatches(true, 0, "https:", 0, "https:".length());
    }

    /** Returns the absolute URL of a server without a slash at its end. The message names the server, as above. */
    private String baseUrl(JsonNode server) throws OpenApiUnsupportedException {
        try {
            return HttpBackendType.withoutTrailingSlash(
                    absolute(withVariables(server)).toString());
        } catch (URISyntaxException e) {
            throw new OpenApiUnsupportedException("a server that is no URL");
        }
    }

    /** A relative URL is relative to the configured base URL, otherwise to the document. */
    private URI absolute(String written) throws URISyntaxException {
        Optional<String> from = configured.map(base -> base + "/").or(() -> documentUrl);
        return from.isPresent() ? UrlParser.resolve(UrlParser.parse(from.get()), written) : UrlParser.parse(written);
    }

    /** Returns the URL with the default values of its variables. */
    private static String withVariables(JsonNode server) throws OpenApiUnsupportedException {
        String written = server.path("url").asText("/");
        checkLength(written.length());
        Matcher variables = VARIABLE.matcher(written);
        StringBuilder url = new StringBuilder();
        while (variables.find()) {
            JsonNode value = server.path("variables").path(variables.group(1)).path("default");
            if (!value.isValueNode() || value.isNull()) {
                throw new OpenApiUnsupportedException("a server with the variable '"
                        + ImportedOpenApiDocument.abbreviate(variables.group(1)) + "', which has no default");
            }
            String replacement = value.asText();
            checkLength(url.length() + replacement.length());
            variables.appendReplacement(url, Matcher.quoteReplacement(replacement));
        }
        return variables.appendTail(url).toString();
    }

    private static void checkLength(int length) throws OpenApiUnsupportedException {
        if (length > MAX_URL_LENGTH) {
            throw new OpenApiUnsupportedException("a server with more than " + MAX_URL_LENGTH + " characters");
        }
    }
}
