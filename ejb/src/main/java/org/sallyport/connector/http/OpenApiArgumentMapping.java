package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
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
    private static final int MAX_NAME_LENGTH = 200;
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
            document.countSteps(list.size());
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
        String shown = ImportedOpenApiDocument.abbreviate(name);
        boolean needed = in.equals("path") || parameter.path("required").asBoolean(false);
        if (name.isEmpty()) {
            notSent.add("a parameter without a name");
        } else if (in.equals("header") && isReservedHeader(name)) {
            notSent.add(shown + " (set by the service)");
        } else if (in.equals("path") && !path.contains("{" + name + "}")) {
            notSent.add(shown + " (not in the path)");
        } else {
            try {
                addArgument(parameter, name, in, needed);
            } catch (OpenApiUnsupportedException e) {
                String unsent = shown + " (" + e.getMessage() + ")";
                if (needed) {
                    throw new OpenApiUnsupportedException("it requires a parameter that cannot be sent: " + unsent);
                }
                notSent.add(unsent);
            }
        }
    }

    private void addArgument(JsonNode parameter, String name, String in, boolean needed)
            throws OpenApiUnsupportedException {
        if (name.length() > MAX_NAME_LENGTH) {
            throw new OpenApiUnsupportedException("a name of more than " + MAX_NAME_LENGTH + " characters");
        }
        ArgumentFormat format = OpenApiParameterReader.format(parameter);
        String argument = uniqueArgumentName(name, in);
        properties.set(argument, describedSchema(parameter));
        if (needed) {
            required.add(argument);
        }
        StyledArgument value = new StyledArgument(argument, format);
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
        JsonNode schema = schema(OpenApiParameterReader.schema(parameter));
        String description = parameter.path("description").asText();
        return description.isEmpty() || !(schema instanceof ObjectNode object) || object.has("$ref")
                ? schema
                : object.put("description", ImportedOpenApiDocument.truncate(description));
    }

    private JsonNode schema(JsonNode schema) {
        if (schema.isMissingNode()) {
            return JsonNodeFactory.instance.objectNode();
        }
        try {
            return schemas.convert(schema);
        } catch (SchemaConversionLimit.SchemaTooLargeException e) {
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
}
