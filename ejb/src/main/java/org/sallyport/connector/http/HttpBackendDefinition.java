package org.sallyport.connector.http;

import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.sallyport.catalog.ToolDefinition;

/**
 * An HTTP interface that can be called.
 *
 * @param baseUrl prefix of every path
 * @param credentials credentials of its security schemes
 * @param operations operations by name
 * @param unusable the operations of its document that cannot be called
 * @param notice a line on its document for administrators
 */
record HttpBackendDefinition(
        String baseUrl,
        List<HttpCredential> credentials,
        Map<String, HttpOperation> operations,
        List<ToolDefinition> unusable,
        Optional<String> notice) {
    HttpBackendDefinition {
        credentials = List.copyOf(credentials);
        // Each node declares the tools in the same order.
        operations = Collections.unmodifiableMap(new LinkedHashMap<>(operations));
        unusable = List.copyOf(unusable);
    }

    /** Creates an interface whose operations can all be called. */
    HttpBackendDefinition(String baseUrl, List<HttpCredential> credentials, Map<String, HttpOperation> operations) {
        this(baseUrl, credentials, operations, List.of(), Optional.empty());
    }

    /** Loads the interface; may request its description over HTTP. */
    interface HttpDefinitionLoader {
        HttpBackendDefinition load(GuardedHttpClient exchange) throws IOException;
    }

    /** All operations as tools, including those that cannot be called. */
    List<ToolDefinition> toolDefinitions() {
        return Stream.concat(operations.values().stream().map(HttpOperation::definition), unusable.stream())
                .toList();
    }
}
