package org.sallyport.connector.http;

import java.util.List;
import java.util.Map;

/**
 * An HTTP interface that can be called.
 *
 * @param baseUrl prefix of every path
 * @param credentials credentials sent with each request
 * @param operations operations by name
 */
record HttpBackendDefinition(String baseUrl, List<HttpCredential> credentials, Map<String, HttpOperation> operations) {
    HttpBackendDefinition {
        credentials = List.copyOf(credentials);
        operations = Map.copyOf(operations);
    }

    /** Loads the interface; may request its description over HTTP. */
    interface HttpDefinitionLoader {
        HttpBackendDefinition load(GuardedHttpClient exchange) throws java.io.IOException;
    }
}
