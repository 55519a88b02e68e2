package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.connector.InvalidBackendException;

/** Each operation has the nearest server, if it may be called. */
class OpenApiServersTest {
    private static final String URL = "https://api.example/docs/api.json";

    private static ImportedOpenApiDocument document(String servers) {
        return ImportedOpenApiDocument.parse("{openapi: 3.0.3, servers: " + servers
                + ", paths: {/a: {servers: [{url: /eu}], get: {servers: [{url: /v2/}]}, put: {servers: []}}, /b: {get: "
                + "{}}, /c: {servers: [], get: {}}, /d: {get: {servers: [{url: 'https://uploads.example/'}]}}, "
                + "/e: {get: {servers: [{url: 'https://{region}.api.example:{port}', variables: {region: {default: "
                + "us}, port: {default: 8443}}}]}}, /f: {get: {servers: [{url: 'http://api.example'}]}}, "
                + "/g: {get: {servers: [{url: 'https://{host}'}]}}, /h: {get: {servers: [{url: 'v3'}]}}, "
                + "/i: {get: {servers: [{url: '/?x=1'}]}}, /j: {get: {servers: [{url: 'https://a b'}]}}}}");
    }

    private static OpenApiServers.OperationServer find(
            ImportedOpenApiDocument document, OpenApiServers servers, String path, String method) {
        JsonNode item = document.root().path("paths").path(path);
        return servers.find(item, item.path(method));
    }

    private static void assertUrl(OpenApiServers.OperationServer server, String expected) {
        assertThat(server.url().orElse("")).isEqualTo(expected);
        assertThat(server.problem()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/a, get, https://api.example/v2",
        "/a, put, https://api.example/eu",
        "/b, get, ''",
        "/c, get, ''",
        "/e, get, https://us.api.example:8443",
        "/h, get, https://api.example/docs/v3",
    })
    void nearestServerIsUsed(String path, String method, String expected) {
        ImportedOpenApiDocument document = document("[{url: /v1}, {url: 'https://other.example'}]");
        OpenApiServers servers = OpenApiFixture.servers(document, Optional.empty(), Optional.of(URL));
        assertThat(servers.standard()).isEqualTo("https://api.example/v1");
        assertUrl(find(document, servers, path, method), expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/b, get, ''",
        "/a, put, https://beta.api.example/eu",
        "/h, get, https://beta.api.example/root/v3",
        "/e, get, https://us.api.example:8443",
    })
    void configuredBaseUrlReplacesTheServersOfTheDocument(String path, String method, String expected) {
        ImportedOpenApiDocument document = document("[{url: 'https://other.example'}]");
        OpenApiServers servers =
                OpenApiFixture.servers(document, Optional.of("https://beta.api.example/root/"), Optional.of(URL));
        assertThat(servers.standard()).isEqualTo("https://beta.api.example/root");
        assertUrl(find(document, servers, path, method), expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/d | it has a server that may not be called: host 'uploads.example' is not in the list",
                "/f | it has a server without https",
                "/g | it has a server with the variable 'host', which has no default",
                "/i | it has a server with a query or a fragment",
                "/j | it has a server that is no URL",
            })
    void serverThatCannotBeUsedIsNamed(String path, String reason) {
        ImportedOpenApiDocument document = document("[]");
        OpenApiServers servers = OpenApiFixture.servers(document, Optional.empty(), Optional.of(URL));
        assertThat(find(document, servers, path, "get").problem().orElseThrow()).startsWith(reason);
    }

    @Test
    void serverIsEncryptedIfTheGeneralOneIs() {
        ImportedOpenApiDocument document = document("[{url: 'https://api.example'}]");
        for (Optional<String> url : List.of(Optional.of("http://api.example/api.json"), Optional.<String>empty())) {
            OpenApiServers servers = OpenApiFixture.servers(document, Optional.empty(), url);
            assertThat(find(document, servers, "/f", "get").problem()).contains("it has a server without https");
        }
        OpenApiServers open = OpenApiFixture.servers(document, Optional.of("http://api.example"), Optional.of(URL));
        assertUrl(find(document, open, "/a", "get"), "http://api.example/v2");
    }

    @Test
    void longServersAreRefused() {
        ImportedOpenApiDocument document = ImportedOpenApiDocument.parse("{openapi: 3.0.3, servers: [{url: /}], paths: "
                + "{/a: {get: {servers: [{url: '/{v}{v}', variables: {v: {default: " + "x".repeat(1_500)
                + "}}}]}}, /b: {get: {servers: [{url: '/" + "x".repeat(2_001) + "'}]}}}}");
        OpenApiServers servers = OpenApiFixture.servers(document, Optional.empty(), Optional.of(URL));
        for (String path : List.of("/a", "/b")) {
            assertThat(find(document, servers, path, "get").problem())
                    .contains("it has a server with more than 2000 characters");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[{url: 'https://other.example'}] | has a server that may not be called",
                "[{url: 'http://api.example'}]    | has a server without https; set 'baseUrl'",
                "[{url: '/{x}'}]                  | has a server with the variable 'x'",
            })
    void documentWithoutAUsableServerIsRefused(String servers, String reason) {
        assertThatThrownBy(() -> OpenApiFixture.servers(document(servers), Optional.empty(), Optional.of(URL)))
                .isInstanceOf(InvalidBackendException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void otherServerIsPartOfTheDescription() {
        HttpOperation operation = OpenApiFixture.find(
                OpenApiFixture.importDocument(
                                "{openapi: 3.0.3, paths: {/a: {get: {operationId: a, servers: [{url: /v2}]}}}}")
                        .operations(),
                "a");
        assertThat(operation.server()).contains("https://api.example/v2");
        assertThat(operation.definition().description()).isEqualTo("(GET https://api.example/v2/a)");
    }
}
