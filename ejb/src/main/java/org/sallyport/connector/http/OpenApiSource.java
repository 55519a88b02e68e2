package org.sallyport.connector.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.connector.BackendSettings;
import org.sallyport.tool.Json;

/**
 * The settings {@code openapi} of a backend: the document itself or where it is, and which of its operations are wanted. The
 * document decides nothing about where requests may go.
 */
final class OpenApiSource {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern SERVER_VARIABLE = Pattern.compile("\\{([^{}]*)}");

    private final BackendSettings settings;
    private final Optional<Json> document;
    private final Optional<String> url;
    private final Predicate<String> wanted;

    private OpenApiSource(BackendSettings settings, BackendSettings openapi) {
        openapi.allow(Set.of("url", "document", "include"));
        this.settings = settings;
        this.url = openapi.optionalText("url");
        this.document = openapi.json("document");
        if (url.isPresent() == document.isPresent()) {
            throw settings.fault("openapi", "must have either 'url' or 'document'");
        }
        List<Pattern> include = openapi.texts("include").stream()
                .map(glob -> Pattern.compile(
                        Stream.of(glob.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")),
                        Pattern.DOTALL))
                .toList();
        this.wanted = id -> include.isEmpty()
                || include.stream().anyMatch(pattern -> pattern.matcher(id).matches());
    }

    /** The settings, if there are any. */
    static Optional<OpenApiSource> of(BackendSettings settings) {
        return settings.object("openapi").map(openapi -> new OpenApiSource(settings, openapi));
    }

    /** Where the document is, unless it is in the settings. */
    Optional<String> url() {
        return url;
    }

    /** Throws {@link org.sallyport.connector.InvalidBackendException} unless the document, where it is in the settings, will do. */
    void check(EgressGuard guard) {
        document.ifPresent(json -> site(OpenApiDocument.of(tree(json)), guard));
    }

    /** The interface, asked for where the document is. */
    Site site(EgressGuard guard, Exchange exchange) throws IOException {
        if (document.isPresent()) {
            return site(OpenApiDocument.of(tree(document.get())), guard);
        }
        Exchange.Response response = exchange.fetch(url.orElseThrow());
        if (response.status() != 200) {
            throw new IOException("the OpenAPI document was answered with status " + response.status());
        }
        return site(OpenApiDocument.parse(new String(response.body(), StandardCharsets.UTF_8)), guard);
    }

    private static JsonNode tree(Json json) {
        try {
            return JSON.readTree(json.text());
        } catch (JsonProcessingException e) {
            throw OpenApiDocument.fault("cannot be read");
        }
    }

    private Site site(OpenApiDocument from, EgressGuard guard) {
        List<Credential> credentials = Credential.of(from, settings.map("credentials"));
        Set<String> headers = Stream.concat(
                        settings.map("headers").keySet().stream(),
                        credentials.stream().map(Credential::header))
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
        Map<String, Operation> operations = new LinkedHashMap<>(new OpenApiImport(from, wanted, headers).operations());
        operations.putAll(HttpOperations.operations(settings));
        return new Site(base(from, guard), credentials, operations);
    }

    /** What the settings say, else the document's first server, if that is a host that may be called. */
    private String base(OpenApiDocument from, EgressGuard guard) {
        Optional<String> set = settings.optionalText("baseUrl");
        if (set.isPresent()) {
            return HttpOperations.plain(set.get());
        }
        JsonNode server = from.root().path("servers").path(0);
        String written = SERVER_VARIABLE
                .matcher(server.path("url").asText("/"))
                .replaceAll(found -> java.util.regex.Matcher.quoteReplacement(server.path("variables")
                        .path(found.group(1))
                        .path("default")
                        .asText()));
        try {
            URI base = url.isPresent() ? URI.create(url.get()).resolve(written) : URI.create(written);
            if (url.isPresent()
                    && url.get().regionMatches(true, 0, "https:", 0, "https:".length())
                    && !"https".equalsIgnoreCase(base.getScheme())) {
                // It would take the credentials along.
                throw OpenApiDocument.fault("has a server that is not asked over https; set 'baseUrl'");
            }
            if (base.getRawQuery() != null || base.getRawFragment() != null) {
                throw OpenApiDocument.fault("has a server with a query or a fragment");
            }
            return HttpOperations.plain(guard.checked(base.toString()).toString());
        } catch (IllegalArgumentException e) {
            throw OpenApiDocument.fault("has a server that is no URL; set 'baseUrl'");
        } catch (EgressDeniedException e) {
            throw OpenApiDocument.fault(
                    "has a server that may not be called: " + e.getMessage() + "; set 'baseUrl' or 'allowHosts'");
        }
    }
}
