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
            + "query: {type: apiKey, in: query, name: q}, digest: {type: http, scheme: digest}}}";

    private static HttpOperation operation(String security, String standard, Map<String, String> credentials) {
        return OpenApiFixture.find(
                OpenApiFixture.importDocument(
                                "{openapi: 3.0.3, " + standard + "paths: {/a: {get: {operationId: a" + security
                                        + "}}}, " + SCHEMES + "}",
                                ResponseFormat.BODY,
                                credentials)
                        .operations(),
                "a");
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
                "[{unset: []}, {missing: [], query: []}] | No credential is sent: no credential is set for 'unset'; "
                        + "or no credential is set for 'missing' and 'query'.",
                "[{bearer: [], basic: []}] | No credential is sent: 'bearer' and 'basic' would be sent in the same "
                        + "header 'Authorization'.",
            })
    void missingCredentialIsPartOfTheDescription(String security, String remark) {
        HttpOperation operation = operation(", security: " + security, "", CREDENTIALS);
        assertThat(operation.credentials()).contains(Set.of());
        assertThat(operation.definition().description()).isEqualTo("(GET /a) " + remark);
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
        HttpOperation ambiguous = operation("", "", Map.of("basic", "u:p", "bearer", "b"));
        assertThat(ambiguous.credentials()).contains(Set.of());
        assertThat(ambiguous.definition().description())
                .contains("No credential is sent: the document does not say which");
    }

    @ParameterizedTest
    @CsvSource({"query, 'would be sent in the query'", "digest, 'digest'", "missing, 'not a supported security scheme'"
    })
    void credentialThatCannotBeSentIsNamed(String scheme, String reason) {
        assertThatThrownBy(() -> operation("", "", Map.of(scheme, "v")))
                .isInstanceOfSatisfying(InvalidBackendException.class, e -> {
                    assertThat(e.member()).isEqualTo("settings.credentials." + scheme);
                    assertThat(e.getMessage()).contains(reason);
                });
    }
}
