package org.sallyport.connector.http;

import java.util.List;
import java.util.Map;

/**
 * An interface that can be called.
 *
 * @param baseUrl what every path is below
 * @param credentials what each request shows
 * @param operations by name
 */
record HttpBackendDefinition(String baseUrl, List<HttpCredential> credentials, Map<String, HttpOperation> operations) {
    HttpBackendDefinition {
        credentials = List.copyOf(credentials);
        operations = Map.copyOf(operations);
    }

    /** Finds the interface; may ask for its description. */
    interface HttpDefinitionLoader {
        HttpBackendDefinition load(GuardedHttpClient exchange) throws java.io.IOException;
    }
}
