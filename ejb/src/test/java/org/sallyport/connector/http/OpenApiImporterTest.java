package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** The importer turns documents into operations; a faulty operation does not affect the others. */
class OpenApiImporterTest {
    private static Map<String, HttpOperation> importOperations(String document) {
        return new OpenApiImporter(ImportedOpenApiDocument.parse(document), id -> true, Set.of("x-api-key"))
                .importOperations();
    }

    private static HttpOperation find(Map<String, HttpOperation> operations, String name) {
        return Objects.requireNonNull(operations.get(name), name);
    }

    private static String paths(String paths) {
        return "{openapi: 3.0.3, info: {title: t, version: '1'}, paths: {" + paths + "}}";
    }

    private static void assertUsable(HttpOperation operation) {
        assertThat(ToolCatalog.accepts(new ToolSpec(
                        new ToolName("b", operation.definition().name()),
                        operation.definition().description(),
                        operation.definition().inputSchema(),
                        operation.definition().hints())))
                .isTrue();
    }

    @Test
    void operationHasItsIdParametersAndMethodHints() {
        Map<String, HttpOperation> operations = importOperations("""
                openapi: 3.0.3
                info: { title: Pets, version: "1" }
                paths:
                  /pets/{pet id}/photos:
                    parameters:
                      - { name: pet id, in: path, required: true, schema: { type: integer } }
                      - { name: limit, in: query, schema: { type: string } }
                    get:
                      operationId: list photos
                      summary: Photos of a pet.
                      parameters:
                        - $ref: '#/components/parameters/limit'
                        - { name: tag, in: query, schema: { type: array, items: { type: string } } }
                        - { name: X-Api-Key, in: header, schema: { type: string } }
                        - { name: X-Trace, in: header, schema: { type: string, nullable: true } }
                        - { name: filter, in: query, style: deepObject, schema: { type: object } }
                      responses:
                        '200': { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
                    delete: { operationId: remove }
                    put:
                      operationId: replace
                      requestBody:
                        required: true
                        content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
                    options: { operationId: none }
                components:
                  parameters:
                    limit: { name: limit, in: query, schema: { type: integer, minimum: 0, exclusiveMinimum: true } }
                  schemas:
                    Pet:
                      type: object
                      required: [name]
                      properties:
                        name: { type: string, example: Rex }
                        parent: { $ref: '#/components/schemas/Pet' }
                        $ref: { type: string }
                """);
        assertThat(operations.keySet()).containsExactlyInAnyOrder("list photos", "remove", "replace");
        HttpOperation list = find(operations, "list photos");
        assertThat(list.path().text()).isEqualTo("/pets/{pet_id}/photos");
        assertThat(list.query().keySet()).containsExactlyInAnyOrder("limit", "tag");
        assertThat(list.headers().keySet()).containsExactly("X-Trace");
        assertThat(list.definition().inputSchema().text())
                .contains("\"exclusiveMinimum\":0", "\"required\":[\"pet_id\"]", "[\"string\",\"null\"]")
                .doesNotContain("filter", "Api-Key");
        assertThat(list.definition().description()).isEqualTo("Photos of a pet. (GET /pets/{pet id}/photos)");
        assertThat(list.definition().hints()).isEqualTo(ToolHints.READ_ONLY);
        assertThat(list.definition().outputSchema().orElseThrow().text()).contains("\"$defs\"");
        assertThat(find(operations, "remove").definition().hints()).isEqualTo(new ToolHints(false, true, true));
        HttpOperation replace = find(operations, "replace");
        assertThat(replace.definition().hints()).isEqualTo(ToolHints.IDEMPOTENT);
        assertThat(replace.bodyArgument()).contains("body");
        assertThat(replace.definition().inputSchema().text())
                .contains("\"body\":{\"$ref\":\"#/$defs/Pet\"}", "\"parent\":{\"$ref\":\"#/$defs/Pet\"}")
                .doesNotContain("Rex");
        operations.values().forEach(OpenApiImporterTest::assertUsable);
    }

    @Test
    void operationIsDeclaredByItsOwnId() {
        Map<String, HttpOperation> operations =
                importOperations(paths("/a: {get: {operationId: get it}, post: {operationId: get_it}},"
                        + " /b: {get: {operationId: get_it}, post: {}},"
                        + " '/c/{id}': {get: {operationId: two, parameters: [{name: id, in: path, required: true}, "
                        + "{name: id, in: query},"
                        + " {name: body, in: query}], requestBody: {content: {'application/vnd.x+json; v=1': {}}}}}"));
        assertThat(operations).containsOnlyKeys("get it", "get_it", "get_it_get/b", "post_b", "two");
        HttpOperation two = find(operations, "two");
        assertThat(two.query().values()).extracting(UrlTemplate::text).containsExactly("{query_id}", "{body}");
        assertThat(two.bodyArgument()).contains("requestBody");
    }

    @Test
    void unsupportedOperationsAreSkipped() {
        assertThat(importOperations(paths("/ok: {get: {}},"
                                + " /cookie: {get: {parameters: [{name: c, in: cookie, required: "
                                + "true}]}},"
                                + " /form: {post: {requestBody: {required: true, content: "
                                + "{multipart/form-data: {}}}}},"
                                + " '/undeclared/{x}': {get: {}}, '//evil.example/': {get: {}}, "
                                + "'/q?x=1': {get: {}}, nowhere: {get: {}}"))
                        .keySet())
                .containsExactly("get_ok");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{swagger: '2.0', paths: {}}                    | only OpenAPI 3 is supported",
                "[]                                             | is no OpenAPI 3 document",
                "{openapi: 3.1.0                               | the document is no YAML",
                "{openapi: 3.1.0}                               | has no 'paths'",
                "{openapi: 3.1.0, paths: {}}                    | has no operation",
                "{openapi: 3.1.0, paths: {/a: {$ref: 'https://evil.example/a.yaml'}}}         | outside the document",
                "{openapi: 3.1.0, paths: {/a: {$ref: 'file:///etc/passwd'}}}                  | outside the document",
                "{openapi: 3.1.0, paths: {/a: {$ref: '#/paths/~1a'}}}                         | leads to itself",
                "{openapi: 3.1.0, paths: {/a: {$ref: '#/nothing'}}}                           | which does not exist",
                "{openapi: 3.1.0, paths: {/a: {get: {parameters: [{$ref: '#/paths/%zz'}]}}}} | cannot be read",
                "{openapi: 3.1.0, paths: {/a: {get: {parameters: [{name: x, in: query, schema: {items: {$ref: "
                        + "'x.json#/y'}}}]}}}} | outside the document",
            })
    void invalidDocumentIsReported(String document, String reason) {
        assertThatThrownBy(() -> importOperations(document))
                .isInstanceOf(InvalidBackendException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void tooDeepDocumentOrTooManyOperationsAreRefused() {
        assertThatThrownBy(() -> importOperations("[".repeat(100_000))).isInstanceOf(InvalidBackendException.class);
        assertThatThrownBy(() -> importOperations("{\"a\":".repeat(5_000) + "1" + "}".repeat(5_000)))
                .isInstanceOf(InvalidBackendException.class);
        StringBuilder many = new StringBuilder("/x: {get: {}}");
        for (int i = 0; i < 600; i++) {
            many.append(", /p").append(i).append(": {get: {}}");
        }
        assertThatThrownBy(() -> importOperations(paths(many.toString())))
                .hasMessageContaining("more than 500 operations");
    }

    @Test
    void documentWithTabsIsReadAsJson() {
        HttpOperation operation = find(importOperations("""
                \ufeff{
                \t"openapi": "3.0.3",
                \t"paths": {
                \t\t"/ping/{id}": {
                \t\t\t"get": { "operationId": "ping", "summary": "caf\\u00e9 \\"quoted\\"", "parameters": [
                \t\t\t\t{ "name": "id", "in": "path", "required": true, "schema": { "pattern": "^\\\\w+$" } } ] }
                \t\t}
                \t}
                }
                """), "ping");
        assertThat(operation.definition().description()).startsWith("café \"quoted\"");
        assertThat(operation.definition().inputSchema().text()).contains("\"pattern\":\"^\\\\w+$\"");
    }

    @Test
    void anchorsAndWordsOfYamlAreReadAsInYaml12() {
        Map<String, HttpOperation> operations = importOperations("""
                openapi: 3.0.3
                x-common:
                  params: &paging
                    - { name: page, in: query, schema: { type: integer, minimum: 1 } }
                  base: &base { type: object, required: [name], properties: { name: { type: string } } }
                paths:
                  /list:
                    get: { operationId: list, parameters: *paging, responses: { 404: { description: none } } }
                    post:
                      operationId: write
                      requestBody:
                        required: true
                        content: { application/json: { schema: { <<: *base, description: merged } } }
                  /flags:
                    get:
                      operationId: flags
                      parameters:
                        - name: state
                          in: query
                          schema: { enum: [on, off, yes, 1_000, 0o10, 12:30:00, 2024-01-01, ~] }
                """);
        assertThat(find(operations, "list").definition().inputSchema().text())
                .contains("\"page\":{\"type\":\"integer\",\"minimum\":1}");
        assertThat(find(operations, "write").definition().inputSchema().text())
                .contains("\"required\":[\"name\"]", "\"description\":\"merged\"");
        assertThat(find(operations, "flags").definition().inputSchema().text())
                .contains("[\"on\",\"off\",\"yes\",\"1_000\",8,\"12:30:00\",\"2024-01-01\",null]");
    }

    private static String withMembersBesideReferences(String version) {
        return "{openapi: " + version + ", paths: {"
                + "/c: {post: {operationId: create, requestBody: {required: true, content: {application/json: {schema: "
                + "{$ref: '#/components/schemas/Base', required: [extra], properties: {extra: {type: string}}}}}}}},"
                + "/r: {post: {operationId: rename, requestBody: {required: true, content: {application/json: {schema: "
                + "{type: object, properties: {name: {$ref: '#/components/schemas/Name', maxLength: 2}}}}}}}}},"
                + "components: {schemas: {Base: {type: object, properties: {id: {type: integer}}, required: [id]},"
                + " Name: {type: string}}}}";
    }

    private static CatalogTool tool(Map<String, HttpOperation> operations, String name) {
        ToolDefinition definition = find(operations, name).definition();
        ToolCatalog catalog = new ToolCatalog();
        catalog.put(
                new CatalogBackend("b", "b", "queue"),
                List.of(new ToolSpec(new ToolName("b", name), "", definition.inputSchema(), ToolHints.EFFECT)));
        return catalog.find(new ToolName("b", name)).orElseThrow();
    }

    @Test
    void membersBesideAReferenceCountFromVersion31() {
        Map<String, HttpOperation> operations = importOperations(withMembersBesideReferences("3.1.0"));
        CatalogTool create = tool(operations, "create");
        assertThat(create.schema().validationError(new Json("{\"body\":{\"id\":1,\"extra\":\"x\"}}")))
                .isEmpty();
        assertThat(create.schema().validationError(new Json("{\"body\":{\"id\":1}}")))
                .isPresent();
        assertThat(create.description().text()).contains("id: number;", "extra: string;");
        CatalogTool rename = tool(operations, "rename");
        assertThat(rename.schema().validationError(new Json("{\"body\":{\"name\":\"ab\"}}")))
                .isEmpty();
        assertThat(rename.schema().validationError(new Json("{\"body\":{\"name\":\"abc\"}}")))
                .isPresent();
    }

    @Test
    void membersBesideAReferenceAreIgnoredInVersion30() {
        Map<String, HttpOperation> operations = importOperations(withMembersBesideReferences("3.0.3"));
        CatalogTool create = tool(operations, "create");
        assertThat(create.schema().validationError(new Json("{\"body\":{\"id\":1}}")))
                .isEmpty();
        assertThat(create.description().text()).contains("id: number;").doesNotContain("extra");
        assertThat(tool(operations, "rename").schema().validationError(new Json("{\"body\":{\"name\":\"abc\"}}")))
                .isEmpty();
    }

    @Test
    void yamlAliasBombIsRefused() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x]\n");
        for (int i = 1; i < 40; i++) {
            bomb.append("a")
                    .append(i)
                    .append(": &a")
                    .append(i)
                    .append(" [*a")
                    .append(i - 1)
                    .append(", *a")
                    .append(i - 1)
                    .append("]\n");
        }
        assertThatThrownBy(() -> importOperations(bomb.toString())).isInstanceOf(InvalidBackendException.class);
    }

    @Test
    void oversizedSchemaIsReducedToArgumentNames() {
        StringBuilder values = new StringBuilder("v");
        for (int i = 0; i < 20_000; i++) {
            values.append(", value").append(i);
        }
        HttpOperation operation = find(
                importOperations(paths("/a: {get: {operationId: a, parameters: [{name: x, in: query, required: true,"
                        + " schema: {enum: [" + values + "]}}]}}")),
                "a");
        assertThat(operation.definition().inputSchema().text())
                .isEqualTo("{\"type\":\"object\",\"properties\":{\"x\":{}},\"required\":[\"x\"],"
                        + "\"additionalProperties\":false}");
    }

    @Test
    void recursiveSchemasAreBounded() {
        StringBuilder schemas = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            schemas.append("S").append(i).append(": {type: object, properties: {");
            for (int j = 0; j < 50; j++) {
                schemas.append("p")
                        .append(j)
                        .append(": {$ref: '#/components/schemas/S")
                        .append(j)
                        .append("'}, ");
            }
            schemas.append("}}, ");
        }
        HttpOperation operation = find(
                importOperations("{openapi: 3.1.0, paths: {/a: {post: {operationId: a, requestBody: {content: "
                        + "{application/json: {schema:"
                        + " {$ref: '#/components/schemas/S0'}}}}}}}, components: {schemas: {" + schemas
                        + "}}}"),
                "a");
        assertThat(operation.definition().inputSchema().text().length()).isLessThan(70_000);
        assertUsable(operation);
    }
}
