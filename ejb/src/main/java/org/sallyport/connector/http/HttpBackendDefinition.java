package org.sallyport.connector.http;

import java.util.List;
import java.util.Map;

/**
 * An HTTP interface that can be called.
 *
 * @param baseUrl prefix of every path
 * @param credentials credentials of its security schemes
 * @param operations operations by name
 * @param unusable the operations of its document that cannot be called
 */
record HttpBackendDefinition(
        String baseUrl,
        List<HttpCredential> credentials,
        Map<String, HttpOperation> operations,
        UnusableOperations unusable) {
    HttpBackendDefinition {
        credentials = List.copyOf(credentials);
        operations = Map.copyOf(operations);
    }

    /** Creates an interface whose operations can all be called. */
    HttpBackendDefinition(String baseUrl, List<HttpCredential> credentials, Map<String, HttpOperation> operations) {
        this(baseUrl, credentials, operations, UnusableOperations.NONE);
    }

    /** Loads the interface; may request its description over HTTP. */
    interface HttpDefinitionLoader {
        HttpBackendDefinition load(GuardedHttpClient exchange) throws java.io.IOException;
    }
}
