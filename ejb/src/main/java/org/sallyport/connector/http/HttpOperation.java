package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendSettings;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/**
 * One operation of an HTTP interface.
 *
 * @param method HTTP method
 * @param path path below the base URL
 * @param query names and values of query parameters; a parameter whose argument is missing is left out
 * @param headers names and values of headers
 * @param bodyArgument the argument that is the body; if empty, the body is an object of the arguments that are used
 *     nowhere else
 * @param resultPointer JSON pointer to the result within the response
 * @param definition the tool definition for scripts
 */
record HttpOperation(
        String method,
        UrlTemplate path,
        Map<String, UrlTemplate> query,
        Map<String, UrlTemplate> headers,
        Optional<String> bodyArgument,
        String resultPointer,
        ToolDefinition definition) {
    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");
    private static final Set<String> METHODS_WITH_BODY = Set.of("POST", "PUT", "PATCH");
    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD");
    private static final Set<String> SETTING_NAMES = Set.of(
            "method",
            "path",
            "query",
            "headers",
            "body",
            "result",
            "description",
            "inputSchema",
            "outputSchema",
            "readOnly",
            "idempotent",
            "destructive");
    private static final ObjectMapper JSON = new ObjectMapper();

    static HttpOperation of(String name, BackendSettings settings) {
        settings.allowOnly(SETTING_NAMES);
        String method = settings.text("method").toUpperCase(Locale.ROOT);
        if (!METHODS.contains(method)) {
            throw settings.invalid("method", "must be one of " + String.join(", ", new TreeSet<>(METHODS)));
        }
        UrlTemplate path = new UrlTemplate(settings.text("path"));
        if (!path.text().startsWith("/")
                || path.text().startsWith("//")
                || path.text().matches(".*[?#\\s\\\\].*")) {
            throw settings.invalid("path", "must begin with one '/' and have no query and no fragment");
        }
        Optional<String> result = settings.optionalText("result");
        if (result.isPresent() && !result.get().startsWith("/")) {
            throw settings.invalid("result", "must be a JSON pointer, such as /data/0");
        }
        Map<String, UrlTemplate> query = templates(settings.textMap("query"));
        Map<String, UrlTemplate> headers = templates(settings.textMap("headers"));
        return new HttpOperation(
                method,
                path,
                query,
                headers,
                settings.optionalText("body"),
                result.orElse(""),
                new ToolDefinition(
                        name,
                        name,
                        settings.optionalText("description").orElse(method + " " + path.text()),
                        settings.json("inputSchema").orElseGet(() -> schema(path, query, headers)),
                        settings.json("outputSchema"),
                        hints(settings, method)));
    }

    private static ToolHints hints(BackendSettings settings, String method) {
        boolean readOnly = settings.flag("readOnly", SAFE_METHODS.contains(method));
        return new ToolHints(
                readOnly,
                settings.flag("idempotent", readOnly || method.equals("PUT") || method.equals("DELETE")),
                settings.flag("destructive", method.equals("DELETE")));
    }

    private static Map<String, UrlTemplate> templates(Map<String, String> texts) {
        Map<String, UrlTemplate> templates = new LinkedHashMap<>();
        texts.forEach((name, text) -> templates.put(name, new UrlTemplate(text)));
        return templates;
    }

    /**
     * Schema for an operation without a declared schema: an object with the variables of path, query and headers, of
     * which those of the path are required.
     */
    private static Json schema(UrlTemplate path, Map<String, UrlTemplate> query, Map<String, UrlTemplate> headers) {
        ObjectNode schema = JSON.createObjectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        path.variables().forEach(properties::putObject);
        query.values().forEach(one -> one.variables().forEach(properties::putObject));
        headers.values().forEach(one -> one.variables().forEach(properties::putObject));
        var required = schema.putArray("required");
        path.variables().forEach(required::add);
        return new Json(schema.toString());
    }

    /** Whether the HTTP method has no effect by definition. */
    boolean isSafe() {
        return SAFE_METHODS.contains(method);
    }

    /** The body for the arguments; empty if the method has no body. */
    Optional<String> bodyFor(JsonNode arguments) {
        if (bodyArgument.isPresent()) {
            return Optional.of(arguments.path(bodyArgument.get()))
                    .filter(value -> !value.isMissingNode())
                    .map(JsonNode::toString);
        }
        if (!METHODS_WITH_BODY.contains(method)) {
            return Optional.empty();
        }
        Set<String> elsewhere = new LinkedHashSet<>(path.variables());
        query.values().forEach(one -> elsewhere.addAll(one.variables()));
        headers.values().forEach(one -> elsewhere.addAll(one.variables()));
        ObjectNode rest = JSON.createObjectNode();
        arguments.properties().forEach(entry -> {
            if (!elsewhere.contains(entry.getKey())) {
                rest.set(entry.getKey(), entry.getValue());
            }
        });
        return Optional.of(rest.toString());
    }
}
