package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.connector.InvalidBackendException;

/** Operations get the credentials of their security requirements, and no other. */
class OpenApiSecurityTest {
    private static final Map<String, String> CREDENTIALS =
            Map.of("bearer", "tok", "basic", "user:pass", "key", "KEY", "session", "s1", "device", "d1");
    private static final String SCHEMES = "components: {securitySchemes: {bearer: {type: http, scheme: bearer}, "
            + "basic: {type: http, scheme: basic}, key: {type: apiKey, in: header, name: X-Key}, "
            + "session: {type: apiKey, in: cookie, name: sid}, device: {type: apiKey, in: cookie, name: did}, "
            + "tenant: {type: apiKey, in: header, name: X-API-KEY}, unset: {type: oauth2}, "
            + "query: {type: apiKey, in: query, name: q}, form: {type: apiKey, in: form, name: q}, "
            + "digest: {type: http, scheme: digest}, "
            + "blank: {type: apiKey, in: header, name: 'X Key'}, lost: {$ref: '#/nothing'}}}";

    private static OpenApiImporter.ImportedOperations importOperation(
            String security, String standard, Map<String, String> credentials) {
        return OpenApiFixture.importDocument(
                "{openapi: 3.0.3, " + standard + "paths: {/a: {get: {operationId: a" + security + "}}}, " + SCHEMES
                        + "}",
                ResponseFormat.BODY,
                credentials);
    }

    private static HttpOperation operation(String security, String standard, Map<String, String> credentials) {
        OpenApiImporter.ImportedOperations imported = importOperation(security, standard, credentials);
        assertThat(imported.notice()).isEmpty();
        return OpenApiFixture.find(imported.operations(), "a");
    }

    /** Returns the notice on the operation, which gets no credential. */
    private static String notice(String security, Map<String, String> credentials) {
        OpenApiImporter.ImportedOperations imported = importOperation(security, "", credentials);
        HttpOperation operation = OpenApiFixture.find(imported.operations(), "a");
        assertThat(operation.credentials()).contains(Set.of());
        assertThat(operation.definition().description()).isEqualTo("(GET /a)");
        return imported.notice().orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[{basic: []}]                       | basic",
                "[{bearer: [], key: []}]             | bearer,key",
                "[{key: []}, {bearer: []}]           | key",
                "[{unset: []}, {bearer: [scope]}]    | bearer",
                "[{bearer: [], unset: []}, {key: []}] | key",
                "[{bearer: [], basic: []}, {key: []}] | key",
                "[{lost: []}, {key: []}]             | key",
                "[{session: [], device: []}]         | session,device",
                "[{}, {key: []}]                     | key",
                "[{unset: []}, {}]                   | ``",
                "[]                                  | ``",
                "[{}]                                | ``",
                // The settings have the header of this scheme.
                "[{tenant: []}]                      | ``",
                "[{tenant: [], bearer: []}]          | bearer",
            })
    void firstAlternativeWithAllCredentialsIsChosen(String security, String schemes) {
        HttpOperation operation = operation(", security: " + security, "security: [{basic: []}], ", CREDENTIALS);
        assertThat(operation.credentials()).contains(schemes.isEmpty() ? Set.of() : Set.of(schemes.split(",")));
        assertThat(operation.definition().description()).isEqualTo("(GET /a)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[{unset: []}, {missing: [], query: []}] | no credential is set for 'unset'; or no credential is set "
                        + "for 'missing' and 'query'",
                "[{bearer: [], basic: []}] | 'bearer' and 'basic' would be sent in the same header 'Authorization'",
            })
    void missingCredentialIsNamed(String security, String reason) {
        assertThat(notice(", security: " + security, CREDENTIALS))
                .isEqualTo("operations of its OpenAPI document that are called without a credential: 1 (a: " + reason
                        + ")");
    }

    /** Each row: an operation with a key in the query, and why it cannot be called. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[{query: []}]                                | 'query' would be sent in the query, where others may "
                        + "see it",
                "[{basic: [], query: []}, {unset: []}]        | 'query' would be sent in the query, where others may "
                        + "see it; or no credential is set for 'unset'",
            })
    void keyInTheQueryIsNeverSent(String security, String reason) {
        OpenApiImporter.ImportedOperations imported = OpenApiFixture.importDocument(
                "{openapi: 3.0.3, paths: {/a: {get: {operationId: a, security: " + security
                        + "}}, /b: {get: {operationId: b, security: [{query: []}, {bearer: []}]}}, "
                        + "/c: {get: {operationId: c, security: []}}}, " + SCHEMES + "}",
                ResponseFormat.BODY,
                Map.of("query", "s3cret", "bearer", "tok", "basic", "u:p"));
        assertThat(imported.notice()).isEmpty();
        assertThat(OpenApiFixture.reason(imported, "a")).isEqualTo(reason);
        assertThat(OpenApiFixture.findUnusable(imported, "a").description()).isEqualTo("(GET /a)");
        assertThat(imported.operations()).containsOnlyKeys("b", "c");
        assertThat(OpenApiFixture.find(imported.operations(), "b").credentials())
                .contains(Set.of("bearer"));
        assertThat(OpenApiFixture.find(imported.operations(), "c").credentials())
                .contains(Set.of());
    }

    @Test
    void optionalKeyInTheQueryIsNamed() {
        assertThat(notice(", security: [{}, {query: []}]", Map.of("query", "v")))
                .endsWith("without a credential: 1 (a: 'query' would be sent in the query, where others may see it)");
    }

    @Test
    void keyInTheQueryIsRefusedIfAllCredentialsAreSent() {
        assertThatThrownBy(() -> operation("", "", Map.of("query", "v", "bearer", "b")))
                .isInstanceOf(InvalidBackendException.class)
                .hasMessageContaining("'query' would be sent in the query, where others may see it");
    }

    @Test
    void fewOfManyMissingCredentialsAreNamed() {
        StringBuilder paths = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            paths.append("/p").append(i).append(": {get: {}}, ");
        }
        assertThat(OpenApiFixture.importDocument(
                                "{openapi: 3.0.3, security: [{unset: []}], paths: {" + paths + "}, " + SCHEMES + "}")
                        .notice()
                        .orElseThrow())
                .startsWith("operations of its OpenAPI document that are called without a credential: 30 (get_p0: no ")
                .contains("get_p4: no credential")
                .endsWith("; …)");
    }

    @Test
    void requirementsOfTheDocumentCountForOperationsWithoutTheirOwn() {
        assertThat(operation("", "security: [{basic: []}], ", CREDENTIALS).credentials())
                .contains(Set.of("basic"));
    }

    @Test
    void documentWithoutRequirementsGetsAllCredentials() {
        assertThat(operation("", "", Map.of("key", "k", "bearer", "b")).credentials())
                .isEqualTo(Optional.empty());
        assertThat(notice("", Map.of("basic", "u:p", "bearer", "b")))
                .contains("the document does not say which is required, and 'b");
    }

    @ParameterizedTest
    @CsvSource({
        "form, 'would be sent in the place ''form'', which is not supported'",
        "digest, 'digest'",
        "missing, 'not a supported security scheme'",
        "blank, 'would be sent as ''X Key'', which is no name'",
    })
    void credentialThatCannotBeSentIsNamed(String scheme, String reason) {
        assertThatThrownBy(() -> operation("", "", Map.of(scheme, "v")))
                .isInstanceOfSatisfying(InvalidBackendException.class, e -> {
                    assertThat(e.member()).isEqualTo("settings.credentials." + scheme);
                    assertThat(e.getMessage()).contains(reason);
                });
    }
}
