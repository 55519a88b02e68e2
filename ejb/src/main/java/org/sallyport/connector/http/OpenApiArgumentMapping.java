package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sallyport.tool.Json;

/**
 * Maps the parameters and the body of one OpenAPI operation to the arguments of a tool. An instance serves one
 * operation.
 */
final class OpenApiArgumentMapping {
    private static final int MAX_PARAMETERS = 200;
    /** Headers of the HTTP protocol, and headers that OpenAPI does not allow as parameters. */
    private static final Set<String> RESERVED_HEADERS = Set.of(
            "accept",
            "content-type",
            "authorization",
            "host",
            "content-length",
            "connection",
            "transfer-encoding",
            "upgrade",
            "te",
            "trailer",
            "cookie",
            "proxy-authorization",
            "expect");

    private final ImportedOpenApiDocument document;
    private final OpenApiSchemaConverter schemas;
    private final ObjectNode properties = JsonNodeFactory.instance.objectNode();
    private final Set<String> required = new LinkedHashSet<>();
    private final Map<String, String> pathArguments = new LinkedHashMap<>();
    private final Map<String, UrlTemplate> query = new LinkedHashMap<>();
    private final Map<String, UrlTemplate> headers = new LinkedHashMap<>();
    private final Set<String> credentialHeaders;
    private Optional<String> body = Optional.empty();
    private boolean tooLarge;

    /** @param credentials lower-case names of headers that carry credentials; no argument replaces them */
    OpenApiArgumentMapping(ImportedOpenApiDocument document, Set<String> credentials) {
        this.document = document;
        this.schemas = new OpenApiSchemaConverter(document);
        this.credentialHeaders = credentials;
    }

    /** The operation needs an OpenAPI feature that is not supported. */
    static final class OpenApiUnsupportedException extends Exception {
        private static final long serialVersionUID = 1L;

        OpenApiUnsupportedException(String reason) {
            super(reason);
        }
    }

    Map<String, UrlTemplate> query() {
        return query;
    }

    Map<String, UrlTemplate> headers() {
        return headers;
    }

    Optional<String> body() {
        return body;
    }

    /** Returns the path with argument names in place of parameter names. */
    UrlTemplate path(String template) throws OpenApiUnsupportedException {
        String text = template;
        for (Map.Entry<String, String> one : pathArguments.entrySet()) {
            text = text.replace("{" + one.getKey() + "}", "{" + one.getValue() + "}");
        }
        UrlTemplate result = new UrlTemplate(text, true);
        if (text.replaceAll("\\{[A-Za-z0-9_.-]+}", "").matches(".*[{}].*")
                || !required.containsAll(result.variables())) {
            throw new OpenApiUnsupportedException("its path has a parameter that is not declared");
        }
        return result;
    }

    /** Adds the parameters of a path and of an operation; those of the operation take precedence. */
    void addParameters(JsonNode ofPath, JsonNode ofOperation) throws OpenApiUnsupportedException {
        Map<String, JsonNode> all = new LinkedHashMap<>();
        for (JsonNode list : new JsonNode[] {ofPath, ofOperation}) {
            for (JsonNode each : list) {
                JsonNode parameter = document.resolve(each);
                all.put(
                        parameter.path("in").asText() + " "
                                + parameter.path("name").asText(),
                        parameter);
            }
        }
        if (all.size() > MAX_PARAMETERS) {
            throw new OpenApiUnsupportedException("it has more than " + MAX_PARAMETERS + " parameters");
        }
        for (JsonNode parameter : all.values()) {
            addParameter(parameter);
        }
    }

    private void addParameter(JsonNode parameter) throws OpenApiUnsupportedException {
        String name = parameter.path("name").asText();
        String in = parameter.path("in").asText();
        boolean needed = in.equals("path") || parameter.path("required").asBoolean(false);
        if (name.isEmpty() || (in.equals("header") && isReservedHeader(name))) {
            return;
        }
        if (!isSupported(parameter, in)) {
            if (needed) {
                throw new OpenApiUnsupportedException("its parameter '" + ImportedOpenApiDocument.abbreviate(name)
                        + "' has a format that is not supported");
            }
            return;
        }
        String argument = uniqueArgumentName(name, in);
        properties.set(argument, describedSchema(parameter));
        if (needed) {
            required.add(argument);
        }
        boolean commas = !in.equals("query") || !parameter.path("explode").asBoolean(true);
        UrlTemplate template = new UrlTemplate("{" + argument + "}", commas);
        switch (in) {
            case "path" -> pathArguments.put(name, argument);
            case "query" -> query.put(name, template);
            default -> headers.put(name, template);
        }
    }

    private boolean isReservedHeader(String header) {
        String lower = header.toLowerCase(Locale.ROOT);
        return RESERVED_HEADERS.contains(lower) || credentialHeaders.contains(lower);
    }

    private boolean isSupported(JsonNode parameter, String in) {
        String style = parameter.path("style").asText(in.equals("query") ? "form" : "simple");
        return switch (in) {
            case "path", "header" -> style.equals("simple") && !isObject(parameter);
            case "query" -> style.equals("form") && !isObject(parameter);
            default -> false;
        };
    }

    private boolean isObject(JsonNode parameter) {
        return parameter.has("content")
                || document.resolve(parameter.path("schema"))
                        .path("type")
                        .asText()
                        .equals("object");
    }

    /** Returns a unique argument name: the parameter's name, with invalid characters replaced. */
    private String uniqueArgumentName(String name, String in) {
        String plain = name.replaceAll("[^A-Za-z0-9_.-]", "_");
        String argument = properties.has(plain) ? in + "_" + plain : plain;
        for (int number = 2; properties.has(argument); number++) {
            argument = in + "_" + plain + "_" + number;
        }
        return argument;
    }

    private JsonNode describedSchema(JsonNode parameter) {
        JsonNode schema = schema(parameter.path("schema"));
        String description = parameter.path("description").asText();
        return description.isEmpty() || !(schema instanceof ObjectNode object) || object.has("$ref")
                ? schema
                : object.put("description", truncate(description));
    }

    private JsonNode schema(JsonNode schema) {
        if (schema.isMissingNode()) {
            return JsonNodeFactory.instance.objectNode();
        }
        try {
            return schemas.convert(schema);
        } catch (OpenApiSchemaConverter.SchemaTooLargeException e) {
            tooLarge = true;
            return JsonNodeFactory.instance.objectNode();
        }
    }

    /** Adds the request body as one argument. */
    void body(JsonNode declared) throws OpenApiUnsupportedException {
        JsonNode requestBody = document.resolve(declared);
        if (requestBody.isMissingNode()) {
            return;
        }
        Optional<JsonNode> json = jsonContent(requestBody.path("content"));
        boolean needed = requestBody.path("required").asBoolean(false);
        if (json.isEmpty()) {
            if (needed) {
                throw new OpenApiUnsupportedException("it requires a request body that is not JSON");
            }
            return;
        }
        String argument = properties.has("body") ? "requestBody" : "body";
        argument = properties.has(argument) ? uniqueArgumentName("body", "request") : argument;
        properties.set(argument, schema(json.get().path("schema")));
        if (needed) {
            required.add(argument);
        }
        body = Optional.of(argument);
    }

    /** Returns the JSON media type of a content; empty if there is none. */
    static Optional<JsonNode> jsonContent(JsonNode content) {
        return content.properties().stream()
                .filter(entry -> {
                    String type = entry.getKey()
                            .toLowerCase(Locale.ROOT)
                            .split(";", -1)[0]
                            .strip();
                    return type.equals("application/json") || type.endsWith("+json") || type.equals("*/*");
                })
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /** Returns the schema of all arguments; only their names if the full schema is longer than {@code longest}. */
    Json inputSchema(int longest) {
        Json whole = tooLarge ? Json.NULL : fullSchema();
        return tooLarge || whole.text().length() > longest ? namesOnlySchema() : whole;
    }

    private Json fullSchema() {
        ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        schema.set("properties", properties);
        ArrayNode names = schema.putArray("required");
        required.forEach(names::add);
        schema.put("additionalProperties", false);
        if (!schemas.definitions().isEmpty()) {
            schema.set("$defs", schemas.definitions());
        }
        return new Json(schema.toString());
    }

    private Json namesOnlySchema() {
        ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        ObjectNode any = schema.putObject("properties");
        properties.fieldNames().forEachRemaining(any::putObject);
        required.forEach(schema.withArray("required")::add);
        return new Json(schema.put("additionalProperties", false).toString());
    }

    static String truncate(String text) {
        return text.length() > 1_000 ? text.substring(0, 1_000) + "…" : text;
    }
}
