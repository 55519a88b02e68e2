package org.sallyport.connector.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
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
 * The setting {@code openapi} of a backend: the document or its URL, and the selection of operations. The document does
 * not influence which hosts may be called.
 */
final class OpenApiSettings {
    private final BackendSettings settings;
    private final Optional<Json> document;
    private final Optional<String> url;
    private final Predicate<String> included;

    private OpenApiSettings(BackendSettings settings, BackendSettings openapi) {
        openapi.allowOnly(Set.of("url", "document", "include"));
        this.settings = settings;
        this.url = openapi.optionalText("url");
        this.document = openapi.json("document");
        if (url.isPresent() == document.isPresent()) {
            throw settings.invalid("openapi", "must have either 'url' or 'document'");
        }
        List<Pattern> include = openapi.textList("include").stream()
                .map(glob -> Pattern.compile(
                        Stream.of(glob.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")),
                        Pattern.DOTALL))
                .toList();
        this.included = id -> include.isEmpty()
                || include.stream().anyMatch(pattern -> pattern.matcher(id).matches());
    }

    /** Reads the setting; empty if it is absent. */
    static Optional<OpenApiSettings> of(BackendSettings settings) {
        return settings.object("openapi").map(openapi -> new OpenApiSettings(settings, openapi));
    }

    /** URL of the document; empty if the document is in the settings. */
    Optional<String> url() {
        return url;
    }

    /**
     * Validates an inline document; throws {@link org.sallyport.connector.InvalidBackendException} if it is invalid.
     */
    void check(EgressGuard guard) {
        document.ifPresent(json -> loadDefinition(ImportedOpenApiDocument.of(readTree(json)), guard));
    }

    /** Loads the interface, over HTTP if the document is not in the settings. */
    HttpBackendDefinition loadDefinition(EgressGuard guard, GuardedHttpClient exchange) throws IOException {
        if (document.isPresent()) {
            return loadDefinition(ImportedOpenApiDocument.of(readTree(document.get())), guard);
        }
        GuardedHttpClient.GuardedHttpResponse response = exchange.fetch(url.orElseThrow());
        if (response.status() != 200) {
            throw new IOException("the OpenAPI document was answered with status " + response.status());
        }
        return loadDefinition(
                ImportedOpenApiDocument.parse(new String(response.body(), StandardCharsets.UTF_8)), guard);
    }

    private static JsonNode readTree(Json json) {
        try {
            return ExactJsonMapper.read(json.text());
        } catch (JsonProcessingException e) {
            throw ImportedOpenApiDocument.invalid("cannot be read");
        }
    }

    private HttpBackendDefinition loadDefinition(ImportedOpenApiDocument from, EgressGuard guard) {
        Map<String, HttpOperation> declared = HttpBackendType.operations(settings);
        OpenApiSecurity security = new OpenApiSecurity(
                from,
                settings.textMap("credentials"),
                settings.textMap("headers").keySet());
        if (!declared.isEmpty()) {
            security.findProblemOfAll().ifPresent(problem -> {
                throw settings.invalid("credentials", "cannot be sent by 'operations': " + problem);
            });
        }
        OpenApiServers servers = new OpenApiServers(from, guard, settings.optionalText("baseUrl"), url);
        OpenApiImporter.ImportedOperations imported = new OpenApiImporter(
                        from, included, servers, security, ResponseFormat.of(settings, ResponseFormat.BODY))
                .importOperations();
        Map<String, HttpOperation> operations = new LinkedHashMap<>(imported.operations());
        operations.putAll(declared);
        return new HttpBackendDefinition(
                servers.standard(),
                security.credentials(),
                operations,
                imported.unusable().stream()
                        .filter(operation -> !declared.containsKey(operation.name()))
                        .toList(),
                imported.notice());
    }
}
