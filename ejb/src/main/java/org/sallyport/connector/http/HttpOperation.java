package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.http.OperationParameter.ParameterPlace;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/**
 * One operation of an HTTP interface.
 *
 * @param method HTTP method
 * @param server base URL of this operation; empty if it is that of the interface
 * @param path path below the base URL
 * @param parameters parameters in the query and in headers
 * @param body the body of requests
 * @param credentials names of the security schemes whose credentials are sent; empty if all are sent
 * @param response the form of results
 * @param resultPointer JSON pointer to the result within the response
 * @param definition the tool definition for scripts
 */
record HttpOperation(
        String method,
        Optional<String> server,
        PathTemplate path,
        List<OperationParameter> parameters,
        RequestBody body,
        Optional<Set<String>> credentials,
        ResponseFormat response,
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
            "contentType",
            "response",
            "responseHeaders",
            "result",
            "description",
            "inputSchema",
            "outputSchema",
            "readOnly",
            "idempotent",
            "destructive");
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    HttpOperation {
        parameters = List.copyOf(parameters);
        credentials = credentials.map(Set::copyOf);
    }

    /**
     * Reads a declared operation.
     *
     * @param standard the form of results, unless the operation declares another
     */
    static HttpOperation of(String name, BackendSettings settings, ResponseFormat standard) {
        settings.allowOnly(SETTING_NAMES);
        String method = settings.text("method").toUpperCase(Locale.ROOT);
        if (!METHODS.contains(method)) {
            throw settings.invalid("method", "must be one of " + String.join(", ", new TreeSet<>(METHODS)));
        }
        PathTemplate path = PathTemplate.ofArguments(settings.text("path"));
        path.findProblem()
                .or(() -> path.text().indexOf('?') < 0
                        ? Optional.empty()
                        : Optional.of("must have no query; use 'query'"))
                .ifPresent(problem -> {
                    throw settings.invalid("path", problem);
                });
        Optional<String> result = settings.optionalText("result");
        if (result.isPresent() && !result.get().startsWith("/")) {
            throw settings.invalid("result", "must be a JSON pointer, such as /data/0");
        }
        List<OperationParameter> parameters = new ArrayList<>();
        settings.textMap("query")
                .forEach((parameter, text) ->
                        parameters.add(new OperationParameter(parameter, ParameterPlace.QUERY, new UrlTemplate(text))));
        settings.textMap("headers")
                .forEach((header, text) ->
                        parameters.add(new OperationParameter(header, ParameterPlace.HEADER, new UrlTemplate(text))));
        ResponseFormat response = ResponseFormat.of(settings, standard);
        return new HttpOperation(
                method,
                Optional.empty(),
                path,
                parameters,
                body(settings, method),
                Optional.empty(),
                response,
                result.orElse(""),
                new ToolDefinition(
                        name,
                        name,
                        settings.optionalText("description").orElse(method + " " + path.text()),
                        settings.json("inputSchema").orElseGet(() -> schema(path, parameters)),
                        response.resultSchema(settings.json("outputSchema")),
                        hints(settings, method)));
    }

    private static RequestBody body(BackendSettings settings, String method) {
        Optional<String> argument = settings.optionalText("body");
        Optional<String> type = settings.optionalText("contentType");
        BodyFormat format = type.isEmpty()
                ? BodyFormat.UNDECLARED
                : BodyFormat.of(type.get(), Map.of())
                        .orElseThrow(() -> settings.invalid("contentType", "must be a media type that can be sent"));
        if (format.kind() == BodyFormat.BodyKind.MULTIPART
                && settings.textMap("headers").keySet().stream().anyMatch("Content-Type"::equalsIgnoreCase)) {
            throw settings.invalid("headers", "must not have Content-Type, because that of the body has its boundary");
        }
        if (argument.isPresent()) {
            return new RequestBody.BodyArgument(argument.get(), format);
        }
        if (type.isPresent() && !METHODS_WITH_BODY.contains(method)) {
            throw settings.invalid("contentType", "needs 'body', because " + method + " has no body otherwise");
        }
        if (format.kind() == BodyFormat.BodyKind.TEXT || format.kind() == BodyFormat.BodyKind.BYTES) {
            throw settings.invalid("contentType", "needs 'body', the argument that is the body");
        }
        return METHODS_WITH_BODY.contains(method)
                ? new RequestBody.RemainingArguments(format)
                : new RequestBody.NoRequestBody();
    }

    private static ToolHints hints(BackendSettings settings, String method) {
        boolean readOnly = settings.flag("readOnly", SAFE_METHODS.contains(method));
        return new ToolHints(
                readOnly,
                settings.flag("idempotent", readOnly || method.equals("PUT") || method.equals("DELETE")),
                settings.flag("destructive", method.equals("DELETE")));
    }

    /**
     * Schema for an operation without a declared schema: an object with the variables of path, query and headers, of
     * which those of the path are required.
     */
    private static Json schema(PathTemplate path, List<OperationParameter> parameters) {
        ObjectNode schema = NODES.objectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        path.arguments().forEach(properties::putObject);
        parameters.forEach(parameter -> parameter.value().arguments().forEach(properties::putObject));
        var required = schema.putArray("required");
        path.arguments().forEach(required::add);
        return new Json(schema.toString());
    }

    /** Whether the HTTP method has no effect by definition, and the settings do not say otherwise. */
    boolean isSafe() {
        return SAFE_METHODS.contains(method) && definition.hints().readOnly();
    }

    /** Whether the media type of the body is declared, so that no header of the backend replaces it. */
    boolean declaresMediaType() {
        return body instanceof RequestBody.BodyArgument one
                ? one.format().declared()
                : body instanceof RequestBody.RemainingArguments all
                        && all.format().declared();
    }

    /** Returns path and query for the arguments, encoded. */
    String target(JsonNode arguments) {
        RequestLengthLimit limit = RequestLengthLimit.ofTarget();
        StringBuilder target = new StringBuilder(path.expand(arguments, limit));
        for (OperationParameter parameter : parameters) {
            if (parameter.place() == ParameterPlace.QUERY) {
                parameter
                        .value()
                        .queryPairs(parameter.name(), arguments, limit)
                        .forEach(pair -> target.append(separator(target)).append(pair));
            }
        }
        return target.toString();
    }

    private static String separator(StringBuilder target) {
        if (target.indexOf("?") < 0) {
            return "?";
        }
        char last = target.charAt(target.length() - 1);
        return last == '?' || last == '&' ? "" : "&";
    }

    /** Returns the body for the arguments; empty if none is sent. */
    Optional<EncodedBody> encodeBody(JsonNode arguments) {
        if (body instanceof RequestBody.BodyArgument one) {
            JsonNode value = arguments.path(one.argument());
            boolean absent =
                    value.isMissingNode() || (value.isNull() && one.format().kind() != BodyFormat.BodyKind.JSON);
            return absent
                    ? Optional.empty()
                    : Optional.of(RequestBodyEncoder.encode(one.format(), one.argument(), value));
        }
        return body instanceof RequestBody.RemainingArguments all
                ? Optional.of(RequestBodyEncoder.encode(all.format(), "the arguments", remaining(arguments)))
                : Optional.empty();
    }

    private ObjectNode remaining(JsonNode arguments) {
        Set<String> elsewhere = new LinkedHashSet<>(path.arguments());
        parameters.forEach(parameter -> elsewhere.addAll(parameter.value().arguments()));
        ObjectNode remaining = NODES.objectNode();
        arguments.properties().forEach(entry -> {
            if (!elsewhere.contains(entry.getKey())) {
                remaining.set(entry.getKey(), entry.getValue());
            }
        });
        return remaining;
    }
}
