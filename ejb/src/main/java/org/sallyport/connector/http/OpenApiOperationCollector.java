package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.tool.PlainText;

/** Collects the operations of a document that are wanted, each under its own name. An instance serves one import. */
final class OpenApiOperationCollector {
    /** Maximum length of a path that can be called, in UTF-16 code units. */
    static final int MAX_PATH_LENGTH = 2_000;

    private static final int MAX_OPERATIONS = 2_000;
    /** Maximum number of operations, including those that cannot be called because there are too many. */
    private static final int MAX_NAMED_OPERATIONS = 2_500;

    private static final int MAX_ID_LENGTH = 200;
    private static final List<String> METHODS = List.of("get", "head", "post", "put", "patch", "delete");
    private static final List<String> UNSUPPORTED_METHODS = List.of("options", "trace", "query");

    private final ImportedOpenApiDocument document;
    private final Predicate<String> included;
    private final Map<String, DeclaredOperation> operations = new LinkedHashMap<>();
    private int omitted;

    /**
     * An operation as the document declares it.
     *
     * @param method its HTTP method, in the letters of the document; empty if the path cannot be read
     * @param item the declaration of its path
     * @param operation its own declaration
     * @param problem why it cannot be called, if this is known already
     */
    record DeclaredOperation(String method, String path, JsonNode item, JsonNode operation, Optional<String> problem) {

        String httpMethod() {
            return method.toUpperCase(Locale.ROOT);
        }

        /** Returns the method and the address for people. */
        String target(Optional<String> server) {
            return (httpMethod() + " " + server.orElse("") + PlainText.truncate(path, MAX_PATH_LENGTH)).strip();
        }
    }

    /** @param included selects operations by id */
    OpenApiOperationCollector(ImportedOpenApiDocument document, Predicate<String> included) {
        this.document = document;
        this.included = included;
    }

    /** Returns the operations by name. Throws {@link InvalidBackendException} if reading them takes too much work. */
    Map<String, DeclaredOperation> collect() {
        document.root().path("paths").properties().forEach(entry -> collectPath(entry.getKey(), entry.getValue()));
        return operations;
    }

    /** How many further operations there are. */
    int omitted() {
        return omitted;
    }

    private void collectPath(String path, JsonNode declared) {
        if (path.startsWith("x-")) {
            return; // an extension
        }
        document.countSteps(1);
        JsonNode item;
        try {
            item = document.resolvePath(declared);
        } catch (InvalidBackendException e) {
            // Its ids are not known, so that 'include' cannot exclude it.
            JsonNode none = MissingNode.getInstance();
            add(path, new DeclaredOperation("", path, none, none, Optional.ofNullable(e.getMessage())));
            return;
        }
        METHODS.forEach(method -> collect(path, method, item, item.path(method), Optional.empty()));
        UNSUPPORTED_METHODS.forEach(method -> collectUnsupported(path, method, item, item.path(method)));
        JsonNode additional = item.path("additionalOperations");
        document.countSteps(additional.size());
        additional.properties().forEach(entry -> collectUnsupported(path, entry.getKey(), item, entry.getValue()));
    }

    private void collectUnsupported(String path, String method, JsonNode item, JsonNode operation) {
        String shown = ImportedOpenApiDocument.abbreviate(method.toUpperCase(Locale.ROOT));
        collect(path, method, item, operation, Optional.of("its method " + shown + " is not supported"));
    }

    private void collect(String path, String method, JsonNode item, JsonNode operation, Optional<String> problem) {
        if (operation.isMissingNode() || operation.isNull()) {
            return;
        }
        String id = operation.path("operationId").asText();
        String key = id.isEmpty() || id.length() > MAX_ID_LENGTH
                ? method + path.replaceAll("[{}]", "").replace('/', '_')
                : id;
        if (included.test(key)) {
            add(
                    key,
                    new DeclaredOperation(
                            method,
                            path,
                            item,
                            operation,
                            operation.isObject() ? problem : Optional.of("its declaration is no object")));
        }
    }

    private void add(String key, DeclaredOperation declared) {
        if (operations.size() >= MAX_NAMED_OPERATIONS) {
            omitted++;
            return;
        }
        String name = uniqueName(PlainText.truncate(key, MAX_ID_LENGTH), declared);
        operations.put(
                name,
                operations.size() < MAX_OPERATIONS
                        ? declared
                        : new DeclaredOperation(
                                declared.method(),
                                declared.path(),
                                declared.item(),
                                declared.operation(),
                                Optional.of("the document has more than " + MAX_OPERATIONS
                                        + " operations; name those that are wanted in 'include'")));
    }

    private String uniqueName(String key, DeclaredOperation declared) {
        if (!operations.containsKey(key)) {
            return key;
        }
        String address = key + "_" + declared.method() + PlainText.truncate(declared.path(), MAX_ID_LENGTH);
        String name = address;
        for (int number = 2; operations.containsKey(name); number++) {
            name = address + "_" + number;
        }
        return name;
    }
}
