package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sallyport.connector.http.OperationParameter.ParameterPlace;
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

    private static final Map<String, Set<ParameterStyle>> STYLES = Map.of(
            "path", Set.of(ParameterStyle.SIMPLE, ParameterStyle.LABEL, ParameterStyle.MATRIX),
            "query",
                    Set.of(
                            ParameterStyle.FORM,
                            ParameterStyle.SPACE_DELIMITED,
                            ParameterStyle.PIPE_DELIMITED,
                            ParameterStyle.DEEP_OBJECT),
            "header", Set.of(ParameterStyle.SIMPLE));

    private final ImportedOpenApiDocument document;
    private final OpenApiBodyReader bodies;
    private final OpenApiSchemaConverter schemas;
    private final ObjectNode properties = JsonNodeFactory.instance.objectNode();
    private final Set<String> required = new LinkedHashSet<>();
    private final Map<String, StyledArgument> pathArguments = new LinkedHashMap<>();
    private final List<OperationParameter> parameters = new ArrayList<>();
    private final Set<String> credentialHeaders;
    private final Set<String> notSent = new LinkedHashSet<>();
    private RequestBody body = new RequestBody.NoRequestBody();
    private boolean tooLarge;

    /** @param credentials lower-case names of headers that carry credentials; no argument replaces them */
    OpenApiArgumentMapping(ImportedOpenApiDocument document, OpenApiBodyReader bodies, Set<String> credentials) {
        this.document = document;
        this.bodies = bodies;
        this.schemas = new OpenApiSchemaConverter(document, OpenApiSchemaConverter.SchemaDirection.REQUEST);
        this.credentialHeaders = credentials;
    }

    List<OperationParameter> parameters() {
        return parameters;
    }

    /** Names and places of the parameters that are not sent, for people. */
    Set<String> notSent() {
        return notSent;
    }

    RequestBody body() {
        return body;
    }

    /** Whether {@link #inputSchema} returned the names of the arguments alone. */
    boolean isSchemaOmitted() {
        return tooLarge;
    }

    /** Returns the path with its arguments. */
    PathTemplate path(String template) throws OpenApiUnsupportedException {
        PathTemplate path = new PathTemplate(template, pathArguments);
        Optional<String> problem = path.findProblem();
        if (problem.isPresent()) {
            throw new OpenApiUnsupportedException("its path " + problem.get());
        }
        return path;
    }

    /**
     * Adds the parameters of a path and of an operation; those of the operation take precedence.
     *
     * @param path the path with its variables; a parameter that is none of them is not sent
     */
    void addParameters(String path, JsonNode ofPath, JsonNode ofOperation) throws OpenApiUnsupportedException {
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
            addParameter(path, parameter);
        }
    }

    private void addParameter(String path, JsonNode parameter) throws OpenApiUnsupportedException {
        String name = parameter.path("name").asText();
        String in = parameter.path("in").asText();
        boolean needed = in.equals("path") || parameter.path("required").asBoolean(false);
        if (name.isEmpty()) {
            notSent.add("a parameter without a name");
            return;
        }
        if (in.equals("header") && isReservedHeader(name)) {
            notSent.add(ImportedOpenApiDocument.abbreviate(name) + " (set by the service)");
            return;
        }
        if (in.equals("path") && !path.contains("{" + name + "}")) {
            notSent.add(ImportedOpenApiDocument.abbreviate(name) + " (not in the path)");
            return;
        }
        Optional<ArgumentFormat> format = format(parameter, in);
        if (format.isEmpty()) {
            if (needed) {
                throw new OpenApiUnsupportedException(
                        "its required parameter '" + ImportedOpenApiDocument.abbreviate(name) + "' "
                                + (in.equals("cookie") ? "is a cookie" : "has a format that is not supported"));
            }
            notSent.add(ImportedOpenApiDocument.abbreviate(name) + " (" + ImportedOpenApiDocument.abbreviate(in) + ")");
            return;
        }
        String argument = uniqueArgumentName(name, in);
        properties.set(argument, describedSchema(parameter));
        if (needed) {
            required.add(argument);
        }
        StyledArgument value = new StyledArgument(argument, format.get());
        switch (in) {
            case "path" -> pathArguments.put(name, value);
            case "query" -> parameters.add(new OperationParameter(name, ParameterPlace.QUERY, value));
            default -> parameters.add(new OperationParameter(name, ParameterPlace.HEADER, value));
        }
    }

    private boolean isReservedHeader(String header) {
        String lower = header.toLowerCase(Locale.ROOT);
        return RESERVED_HEADERS.contains(lower) || credentialHeaders.contains(lower);
    }

    /** Returns how the parameter is written; empty if this is not supported. */
    private static Optional<ArgumentFormat> format(JsonNode parameter, String in) {
        Set<ParameterStyle> styles = STYLES.getOrDefault(in, Set.of());
        if (parameter.has("content")) {
            return styles.isEmpty()
                    ? Optional.empty()
                    : content(parameter)
                            .map(type -> isJson(type.getKey()) ? ArgumentFormat.JSON : ArgumentFormat.SCALAR);
        }
        String standard = in.equals("query") ? "form" : "simple";
        return ParameterStyle.of(parameter.path("style").asText(standard))
                .filter(styles::contains)
                .map(style -> new ArgumentFormat(
                        style,
                        parameter.path("explode").asBoolean(style == ParameterStyle.FORM),
                        parameter.path("allowReserved").asBoolean(false)));
    }

    /** Returns the media type of a parameter's content with its declaration: JSON or a text; empty if it is neither. */
    private static Optional<Map.Entry<String, JsonNode>> content(JsonNode parameter) {
        return parameter.path("content").properties().stream()
                .filter(type -> isJson(type.getKey()) || BodyFormat.isText(BodyFormat.essence(type.getKey())))
                .min(Comparator.comparingInt(type -> isJson(type.getKey()) ? 0 : 1));
    }

    private static boolean isJson(String mediaType) {
        String type = BodyFormat.essence(mediaType);
        return BodyFormat.isJson(type) || BodyFormat.isUniversal(type);
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
        JsonNode declared = content(parameter).map(Map.Entry::getValue).orElse(parameter);
        JsonNode schema = schema(declared.path("schema"));
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
        Optional<OpenApiBodyReader.DeclaredBody> chosen = bodies.choose(requestBody.path("content"));
        boolean needed = requestBody.path("required").asBoolean(false);
        if (chosen.isEmpty()) {
            if (needed || !requestBody.path("content").isEmpty()) {
                throw new OpenApiUnsupportedException("its request body has no media type that can be sent"
                        + mediaTypes(requestBody.path("content")));
            }
            return;
        }
        String argument = properties.has("body") ? "requestBody" : "body";
        argument = properties.has(argument) ? uniqueArgumentName("body", "request") : argument;
        properties.set(argument, bodies.argumentSchema(chosen.get(), this::schema));
        if (needed) {
            required.add(argument);
        }
        body = new RequestBody.BodyArgument(argument, chosen.get().format());
    }

    private static String mediaTypes(JsonNode content) {
        return content.isEmpty()
                ? ""
                : content.properties().stream()
                        .limit(5)
                        .map(entry -> ImportedOpenApiDocument.abbreviate(entry.getKey()))
                        .collect(Collectors.joining(", ", " (", ")"));
    }

    /** Returns the JSON media type of a content; empty if there is none. */
    static Optional<JsonNode> jsonContent(JsonNode content) {
        return content.properties().stream()
                .filter(entry -> isJson(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /** Returns the schema of all arguments; only their names if the full schema is longer than {@code longest}. */
    Json inputSchema(int longest) {
        Json whole = tooLarge ? Json.NULL : fullSchema();
        tooLarge |= whole.text().length() > longest;
        return tooLarge ? namesOnlySchema() : whole;
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
