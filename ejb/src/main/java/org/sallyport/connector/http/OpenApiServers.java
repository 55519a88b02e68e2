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
 * refuses.
 */
final class OpenApiServers {
    private static final Pattern VARIABLE = Pattern.compile("\\{([^{}]*)}");
    private static final String SERVERS = "servers";

    private final EgressGuard guard;
    private final Optional<String> configured;
    private final Optional<String> documentUrl;
    private final String standard;

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
        this.standard = this.configured.orElseGet(() -> {
            try {
                return baseUrl(document.root().path(SERVERS).path(0));
            } catch (OpenApiUnsupportedException e) {
                throw ImportedOpenApiDocument.invalid("has " + e.getMessage() + "; set 'baseUrl' or 'allowHosts'");
            }
        });
    }

    /** The base URL of operations without servers of their own, without a slash at its end. */
    String standard() {
        return standard;
    }

    /** Returns the base URL of an operation, without a slash at its end; empty if it is the {@link #standard} one. */
    Optional<String> find(JsonNode pathItem, JsonNode operation) throws OpenApiUnsupportedException {
        for (JsonNode servers : new JsonNode[] {operation.path(SERVERS), pathItem.path(SERVERS)}) {
            if (servers.isArray() && !servers.isEmpty()) {
                return findOwn(servers.path(0));
            }
        }
        return Optional.empty();
    }

    private Optional<String> findOwn(JsonNode server) throws OpenApiUnsupportedException {
        try {
            return Optional.of(baseUrl(server)).filter(base -> !base.equals(standard));
        } catch (OpenApiUnsupportedException e) {
            throw new OpenApiUnsupportedException("it has " + e.getMessage());
        }
    }

    /** The message of the exception names the server, such as "a server without https". */
    private String baseUrl(JsonNode server) throws OpenApiUnsupportedException {
        try {
            URI base = absolute(withVariables(server));
            if (mustBeEncrypted() && !"https".equalsIgnoreCase(base.getScheme())) {
                // The credentials would be sent unencrypted.
                throw new OpenApiUnsupportedException("a server without https");
            }
            if (base.getRawQuery() != null || base.getRawFragment() != null) {
                throw new OpenApiUnsupportedException("a server with a query or a fragment");
            }
            return HttpBackendType.withoutTrailingSlash(
                    guard.parseAllowed(base.toString()).toString());
        } catch (URISyntaxException e) {
            throw new OpenApiUnsupportedException("a server that is no URL");
        } catch (EgressDeniedException e) {
            throw new OpenApiUnsupportedException("a server that may not be called: " + e.getMessage());
        }
    }

    private boolean mustBeEncrypted() {
        return configured
                .or(() -> documentUrl)
                .map(url -> url.regionMatches(true, 0, "https:", 0, "https:".length()))
                .orElse(false);
    }

    /** A relative URL is relative to the configured base URL, otherwise to the document. */
    private URI absolute(String written) throws URISyntaxException {
        Optional<String> from = configured.map(base -> base + "/").or(() -> documentUrl);
        return from.isPresent() ? UrlParser.resolve(UrlParser.parse(from.get()), written) : UrlParser.parse(written);
    }

    /** Returns the URL with the default values of its variables. */
    private static String withVariables(JsonNode server) throws OpenApiUnsupportedException {
        String written = server.path("url").asText("/");
        Matcher variables = VARIABLE.matcher(written);
        StringBuilder url = new StringBuilder();
        while (variables.find()) {
            JsonNode value = server.path("variables").path(variables.group(1)).path("default");
            if (!value.isValueNode() || value.isNull()) {
                throw new OpenApiUnsupportedException("a server with the variable '"
                        + ImportedOpenApiDocument.abbreviate(variables.group(1)) + "', which has no default");
            }
            variables.appendReplacement(url, Matcher.quoteReplacement(value.asText()));
        }
        return variables.appendTail(url).toString();
    }
}
