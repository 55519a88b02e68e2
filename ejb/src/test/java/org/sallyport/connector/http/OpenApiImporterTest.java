package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.connector.http.OpenApiFixture.find;
import static org.sallyport.connector.http.OpenApiFixture.findUnusable;
import static org.sallyport.connector.http.OpenApiFixture.importDocument;
import static org.sallyport.connector.http.OpenApiFixture.reason;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.ArgumentSchema;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** The importer turns documents into operations; a faulty operation does not affect the others. */
class OpenApiImporterTest {
    private static Map<String, HttpOperation> importOperations(String document) {
        return importOperations(document, ResponseFormat.BODY);
    }

    private static Map<String, HttpOperation> importOperations(String document, ResponseFormat response) {
        return OpenApiFixture.importDocument(document, response, Map.of()).operations();
    }

    private static List<String> parameters(HttpOperation operation, OperationParameter.ParameterPlace place) {
        return operation.parameters().stream()
                .filter(parameter -> parameter.place() == place)
                .map(OperationParameter::name)
                .toList();
    }

    private static RequestBody.BodyArgument body(HttpOperation operation) {
        return (RequestBody.BodyArgument) operation.body();
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
        assertThat(list.path().text()).isEqualTo("/pets/{pet id}/photos");
        assertThat(list.path().arguments()).containsExactly("pet_id");
        assertThat(parameters(list, OperationParameter.ParameterPlace.QUERY))
                .containsExactlyInAnyOrder("limit", "tag", "filter");
        assertThat(parameters(list, OperationParameter.ParameterPlace.HEADER)).containsExactly("X-Trace");
        assertThat(list.definition().inputSchema().text())
                .contains("\"exclusiveMinimum\":0", "\"required\":[\"pet_id\"]", "[\"string\",\"null\"]")
                .doesNotContain("Api-Key");
        assertThat(list.definition().description())
                .isEqualTo("Photos of a pet. (GET /pets/{pet id}/photos) Not sent: X-Api-Key (set by the service).");
        assertThat(list.definition().hints()).isEqualTo(ToolHints.READ_ONLY);
        assertThat(list.definition().outputSchema().orElseThrow().text()).contains("\"$defs\"");
        assertThat(find(operations, "remove").definition().hints()).isEqualTo(new ToolHints(false, true, true));
        HttpOperation replace = find(operations, "replace");
        assertThat(replace.definition().hints()).isEqualTo(ToolHints.IDEMPOTENT);
        assertThat(body(replace).argument()).isEqualTo("body");
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
        assertThat(two.parameters())
                .flatExtracting(parameter -> parameter.value().arguments())
                .containsExactly("query_id", "body");
        assertThat(body(two).argument()).isEqualTo("requestBody");
        assertThat(body(two).format().contentType()).isEqualTo("application/vnd.x+json; v=1");
    }

    @Test
    void operationsThatCannotBeCalledAreListedWithReasons() {
        OpenApiImporter.ImportedOperations imported = importDocument(
                paths("/ok: {get: {operationId: ok}, options: {operationId: choose}, trace: {operationId: follow}},"
                        + " /cookie: {get: {operationId: cookie, parameters: [{name: c, in: cookie, required: true}]}},"
                        + " /odd: {get: {operationId: odd, parameters: [{name: s, in: query, style: simple, required: "
                        + "true}]}},"
                        + " /form: {post: {operationId: form, requestBody: {required: true, content: "
                        + "{multipart/mixed: {}, multipart/related: {}}}}},"
                        + " /lost: {get: {operationId: lost, parameters: [{$ref: '#/components/parameters/x'}]}},"
                        + " /far: {post: {operationId: far, requestBody: {content: {application/json: {schema: "
                        + "{items: {$ref: 'https://other.example/s.json#/s'}}}}}}},"
                        + " /away: {get: {operationId: away, servers: [{url: 'https://other.example'}]}},"
                        + " /item: {$ref: '#/paths/nothing'},"
                        + " '/undeclared/{x}': {get: {operationId: undeclared}}, "
                        + "/text: {get: no object, post: null, additionalOperations: {LINK: {operationId: link}}}, "
                        + "'//evil.example/': {get: {operationId: evil}}, '/part#x': {get: {operationId: part}}, "
                        + "'/back\\slash': {get: {operationId: back}}, nowhere: {get: {operationId: nowhere}}, "
                        + "x-extension: {get: {operationId: extension}}"));
        assertThat(imported.operations()).containsOnlyKeys("ok");
        Map.ofEntries(
                        Map.entry("choose", "its method OPTIONS is not supported"),
                        Map.entry("follow", "its method TRACE is not supported"),
                        Map.entry("cookie", "it requires a parameter that cannot be sent: c (a cookie)"),
                        Map.entry(
                                "odd",
                                "it requires a parameter that cannot be sent: s (a style that is not supported)"),
                        Map.entry(
                                "form",
                                "its request body has no media type that can be sent (multipart/mixed, "
                                        + "multipart/related)"),
                        Map.entry("lost", "the document refers to '#/components/parameters/x', which does not exist"),
                        Map.entry(
                                "far",
                                "the document refers to 'https://other.example/s.json#/s', which is outside the "
                                        + "document"),
                        Map.entry(
                                "away",
                                "it has a server that may not be called: host 'other.example' is not in the list of "
                                        + "allowed hosts"),
                        Map.entry("/item", "the document refers to '#/paths/nothing', which does not exist"),
                        Map.entry("undeclared", "its path has a variable that is not declared"),
                        Map.entry("evil", "its path must begin with one '/'"),
                        Map.entry("part", "its path must have no fragment, which is never sent to a server"),
                        Map.entry("back", "its path must have no backslash and no control character"),
                        Map.entry("nowhere", "its path must begin with one '/'"),
                        Map.entry("get_text", "its declaration is no object"),
                        Map.entry("link", "its method LINK is not supported"))
                .forEach((name, reason) ->
                        assertThat(reason(imported, name)).as(name).isEqualTo(reason));
        assertThat(imported.notice()).isEmpty();
        assertThat(imported.unusable())
                .hasSize(16)
                .allSatisfy(operation -> assertThat(operation.description()).isNotEmpty());
    }

    @Test
    void longPathsAreListedByTheirBeginning() throws IOException {
        String paths = "\"/ok\": {\"get\": {}}, \"/" + "x".repeat(40_000) + "\": {\"get\": {}}, \"/"
                + "x".repeat(40_001) + "\": {\"$ref\": \"#/nothing\"}";
        OpenApiImporter.ImportedOperations imported = importDocument(
                ImportedOpenApiDocument.of(
                        ExactJsonMapper.read("{\"openapi\": \"3.0.3\", \"paths\": {" + paths + "}}")),
                ResponseFormat.BODY,
                Map.of());
        assertThat(imported.unusable()).hasSize(2).allSatisfy(operation -> {
            assertThat(operation.name().length()).isLessThan(500);
            assertThat(operation.description().length()).isLessThan(3_000);
        });
        assertThat(imported.unusable().get(0).unusable()).contains("its path has more than 2000 characters");
    }

    @Test
    void unusableOperationStaysTheSameWhenItsReasonIsGone() {
        String paths = "/ok: {get: {operationId: ok}}, /up: {post: {operationId: up, summary: Upload., "
                + "servers: [{url: 'https://uploads.example/v1'}], requestBody: {content: {application/json: {schema: "
                + "{type: object}}}}}}";
        ToolDefinition refused = findUnusable(importDocument(paths(paths)), "up");
        assertThat(refused.unusable().orElseThrow()).startsWith("it has a server that may not be called");
        assertThat(refused.description()).isEqualTo("Upload. (POST https://uploads.example/v1/up)");
        ImportedOpenApiDocument document = ImportedOpenApiDocument.parse(paths(paths));
        HttpOperation allowed = find(
                new OpenApiImporter(
                                document,
                                id -> true,
                                new OpenApiServers(
                                        document,
                                        new EgressGuard(List.of("*.example"), true, InetAddress::getAllByName),
                                        Optional.of("https://api.example"),
                                        Optional.empty()),
                                new OpenApiSecurity(document, Map.of(), Set.of()),
                                ResponseFormat.BODY)
                        .importOperations()
                        .operations(),
                "up");
        assertThat(refused.hash()).isEqualTo(allowed.definition().hash());
    }

    @Test
    void resultSchemaThatCannotBeReadIsLeftOutAndSaid() {
        HttpOperation operation = find(
                importOperations(paths("/a: {get: {operationId: a, responses: {'200': {content: {application/json: "
                        + "{schema: {$ref: '#/nothing'}}}}}}}")),
                "a");
        assertThat(operation.definition().outputSchema()).isEmpty();
        assertThat(operation.definition().description())
                .isEqualTo("(GET /a) The schema of the result is left out: the document refers to '#/nothing', which "
                        + "does not exist.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'200': JSON1, default: JSON2}   | 1",
                "{'202': JSON1, '400': JSON2}     | 1",
                "{2XX: JSON1}                     | 1",
                "{default: JSON1}                 | 1",
                "{'204': {description: none}, default: JSON2} | 0",
            })
    void resultSchemaIsThatOfSuccess(String responses, int expected) {
        String json = "{content: {application/json: {schema: {const: %d}}}}";
        HttpOperation operation = find(
                importOperations(paths("/a: {get: {operationId: a, responses: "
                        + responses.replace("JSON1", json.formatted(1)).replace("JSON2", json.formatted(2)) + "}}")),
                "a");
        assertThat(operation.definition().outputSchema().map(Json::text).orElse("0"))
                .isEqualTo(expected == 0 ? "0" : "{\"const\":1}");
    }

    @Test
    void pathHasTheMembersOfItsTarget() {
        Map<String, HttpOperation> operations = importOperations(
                "{openapi: 3.1.0, paths: {/a: {$ref: '#/components/pathItems/p', put: {operationId: put}, "
                        + "parameters: [{name: own, in: query}]}}, components: {pathItems: {p: {get: {operationId: "
                        + "get}, parameters: [{name: other, in: query}]}}}}");
        assertThat(operations).containsOnlyKeys("get", "put");
        assertThat(parameters(find(operations, "get"), OperationParameter.ParameterPlace.QUERY))
                .containsExactly("own");
    }

    @Test
    void operationsOfTheSameIdAreKept() {
        assertThat(importOperations(paths(
                        "/a: {get: {operationId: x}, put: {operationId: x_put/b}}, " + "/b: {put: {operationId: x}}")))
                .hasSize(3);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{application/xml: {}, application/vnd.x+json: {}, application/json: {}} | application/json | JSON",
                "{text/plain: {}, application/merge-patch+json; v=1: {}} | application/merge-patch+json; v=1 | JSON",
                "{'*/*': {}}                                    | application/json                  | JSON",
                "{image/png: {}, application/x-www-form-urlencoded: {}} | application/x-www-form-urlencoded | FORM",
                "{multipart/form-data: {}}                      | multipart/form-data               | MULTIPART",
                "{application/xml: {}}                          | application/xml                   | TEXT",
                "{image/png: {}}                                | image/png                         | BYTES",
                "{'image/*': {}}                                | image/*                           | BYTES",
                "{'application/*+json': {}}                     | application/json                  | JSON",
                "{'application/*+xml': {}}                      | application/xml                   | TEXT",
                "{'*/*': {schema: {type: string, format: binary}}} | application/octet-stream       | BYTES",
                "{'application/*': {schema: {$ref: '#/components/schemas/File'}}} | application/octet-stream | BYTES",
                "{application/json: {schema: {$ref: '#/components/schemas/Form'}}, application/x-www-form-urlencoded: "
                        + "{schema: {$ref: '#/components/schemas/Form'}}, multipart/form-data: "
                        + "{schema: {$ref: '#/components/schemas/Form'}}} | multipart/form-data | MULTIPART",
                "{multipart/form-data: {schema: {properties: {a: {type: string}}}}, application/json: {}} | "
                        + "application/json | JSON",
            })
    void bodyIsOfADeclaredMediaType(String content, String contentType, BodyFormat.BodyKind kind) {
        String schemas = "components: {schemas: {File: {type: string, format: binary}, Form: {type: object, "
                + "properties: {name: {type: string}, photo: {$ref: '#/components/schemas/File'}}}}}";
        HttpOperation operation = find(
                importOperations("{openapi: 3.0.3, paths: {/a: {post: {operationId: a, requestBody: {content: "
                        + content + "}}}}, " + schemas + "}"),
                "a");
        assertThat(body(operation).format().contentType()).isEqualTo(contentType);
        assertThat(body(operation).format().kind()).isEqualTo(kind);
        assertUsable(operation);
    }

    @Test
    void operationWithoutARequestBodyHasNone() {
        assertThat(find(importOperations(paths("/a: {post: {operationId: a}}")), "a")
                        .body())
                .isEqualTo(new RequestBody.NoRequestBody());
    }

    @Test
    void filesOfAFormAreBytesOrTexts() {
        HttpOperation upload = find(
                importOperations(paths("/a: {post: {operationId: a, requestBody: {content: {multipart/form-data: "
                        + "{encoding: {logo: {contentType: image/svg+xml}}, schema: {type: object, properties: "
                        + "{logo: {type: string, format: binary}, note: {type: string}, "
                        + "pages: {type: array, items: {type: string, format: binary}}}}}}}}}")),
                "a");
        assertThat(body(upload).format().parts())
                .containsOnlyKeys("logo", "pages")
                .containsEntry("logo", new BodyFormat.PartFormat(Optional.empty(), Optional.of("image/svg+xml"), true));
        ArgumentSchema schema = ArgumentSchema.compile(upload.definition().inputSchema());
        for (String file : List.of("\"text\"", "{\"$base64\":\"AA==\",\"type\":\"Uint8Array\"}")) {
            assertThat(schema.validationError(new Json("{\"body\":{\"logo\":" + file + ",\"pages\":[" + file + "]}}")))
                    .isEmpty();
        }
        assertThat(schema.validationError(new Json("{\"body\":{\"note\":7}}"))).isPresent();
        assertThat(schema.validationError(new Json("{\"body\":{\"logo\":7}}"))).isPresent();
    }

    /** Each of these describes a property that may be a file. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{type: string, format: binary}",
                "{type: string, format: binary, nullable: true}",
                "{type: [string, 'null'], contentMediaType: application/octet-stream}",
                "{anyOf: [{type: string, format: binary}, {type: 'null'}]}",
                "{oneOf: [{type: string, format: binary}, {type: string, format: uri}]}",
                "{allOf: [{$ref: '#/components/schemas/File'}], description: A picture.}",
                "{type: string, allOf: [{$ref: '#/components/schemas/File'}]}",
                "{anyOf: [{$ref: '#/components/schemas/File'}, {type: array, items: {$ref: "
                        + "'#/components/schemas/File'}}]}",
                "{contentMediaType: image/png}",
            })
    void propertyThatMayBeAFileAcceptsBytes(String property) {
        String direct = "{type: object, properties: {f: " + property + ", note: {type: string}}}";
        for (String schema : List.of(
                direct,
                "{allOf: [{$ref: '#/components/schemas/Base'}, " + direct + "]}",
                "{$ref: '#/components/schemas/Form'}")) {
            HttpOperation upload = find(
                    importOperations("{openapi: 3.1.0, paths: {/a: {post: {operationId: a, requestBody: {content: "
                            + "{multipart/form-data: {schema: " + schema + "}}}}}}, components: {schemas: {File: "
                            + "{type: string, format: binary}, Base: {type: object, properties: {id: {type: "
                            + "integer}}}, "
                            + "Form: {allOf: [{$ref: '#/components/schemas/Base'}, " + direct + "]}}}}"),
                    "a");
            assertThat(Objects.requireNonNull(body(upload).format().parts().get("f"))
                            .file())
                    .isTrue();
            ArgumentSchema arguments =
                    ArgumentSchema.compile(upload.definition().inputSchema());
            for (String file : List.of(
                    "\"text\"",
                    "{\"$base64\":\"AA==\",\"type\":\"Uint8Array\"}",
                    "{\"content\":{\"$base64\":\"AA==\"},\"type\":\"image/png\",\"filename\":\"a\"}")) {
                assertThat(arguments.validationError(new Json("{\"body\":{\"f\":" + file + ",\"note\":\"n\"}}")))
                        .as(schema + " " + file)
                        .isEmpty();
            }
            assertThat(arguments.validationError(new Json("{\"body\":{\"f\":true}}")))
                    .isPresent();
            assertThat(arguments.validationError(new Json("{\"body\":{\"note\":7}}")))
                    .isPresent();
            if (property.contains("null")) {
                assertThat(arguments.validationError(new Json("{\"body\":{\"f\":null}}")))
                        .isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{type: string, contentMediaType: application/json}",
                "{type: string, contentMediaType: text/html}",
                "{type: string, contentMediaType: image/png, contentEncoding: base64}",
                "{type: string, format: byte}",
                "{type: object, properties: {inner: {type: string, format: binary}}}",
            })
    void propertyThatIsNoFileStaysAsItIs(String property) {
        HttpOperation operation = find(
                importOperations(paths("/a: {post: {operationId: a, requestBody: {content: {multipart/form-data: "
                        + "{schema: {type: object, properties: {f: " + property + "}}}}}}}")),
                "a");
        assertThat(body(operation).format().parts()).isEmpty();
    }

    @Test
    void recursiveAlternativesOfAFormAreBounded() {
        StringBuilder parts = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            parts.append("{$ref: '#/components/schemas/A'}, ");
        }
        HttpOperation operation = find(
                importOperations("{openapi: 3.1.0, paths: {/a: {post: {operationId: a, requestBody: {content: "
                        + "{multipart/form-data: {schema: {$ref: '#/components/schemas/A'}}}}}}}, components: "
                        + "{schemas: {A: {properties: {f: {anyOf: [{format: binary}, " + parts + "]}}, anyOf: [" + parts
                        + "{type: object}]}}}}"),
                "a");
        assertThat(operation.definition().inputSchema().text().length()).isLessThan(70_000);
        assertUsable(operation);
    }

    @Test
    void textBodyThatIsAFileAcceptsBytes() {
        HttpOperation operation = find(
                importOperations(paths("/a: {post: {operationId: a, requestBody: {content: {text/csv: {schema: "
                        + "{type: string, format: binary}}}}}}")),
                "a");
        assertThat(body(operation).format().kind()).isEqualTo(BodyFormat.BodyKind.TEXT);
        assertThat(ArgumentSchema.compile(operation.definition().inputSchema())
                        .validationError(new Json("{\"body\":{\"$base64\":\"AA==\"}}")))
                .isEmpty();
    }

    @Test
    void parametersThatAreNotSentAreNamed() {
        HttpOperation operation = find(
                importOperations(paths("'/a/{x}': {get: {operationId: a, summary: Find., parameters: ["
                        + "{name: x, in: path, required: true}, {name: gone, in: path, required: true}, "
                        + "{name: c, in: cookie}, {name: odd, in: query, style: simple}, {in: query}, "
                        + "{name: accept, in: header, required: true}, "
                        + "{name: b, in: query, content: {image/png: {}}}, {name: q, in: querystring}, {name: "
                        + "n".repeat(201) + ", in: query}]}}")),
                "a");
        assertThat(operation.definition().description())
                .isEqualTo("Find. (GET /a/{x}) Not sent: gone (not in the path), c (a cookie), odd (a style that is "
                        + "not supported), a parameter without a name, accept (set by the service), b (a media type "
                        + "that is not supported), q (a place that is not supported), " + "n".repeat(120)
                        + "… (a name of more than 200 characters).");
        assertThat(operation.definition().inputSchema().text())
                .isEqualTo("{\"type\":\"object\",\"properties\":{\"x\":{}},\"required\":[\"x\"],"
                        + "\"additionalProperties\":false}");
    }

    @Test
    void parametersHaveContent() {
        HttpOperation operation = find(
                importOperations(paths("'/a/{p}': {get: {operationId: a, parameters: ["
                        + "{name: p, in: path, required: true, content: {text/plain: {schema: {type: string}}}}, "
                        + "{name: filter, in: query, required: true, description: Which., content: {text/csv: {}, "
                        + "application/json: {schema: {type: object, properties: {a: {type: integer}}}}}}, "
                        + "{name: X-Any, in: header, content: {'*/*': {}}}]}}")),
                "a");
        assertThat(operation.path().variables().values())
                .extracting(StyledArgument::format)
                .containsExactly(ArgumentFormat.SCALAR);
        assertThat(operation.parameters())
                .extracting(OperationParameter::value)
                .extracting(value -> ((StyledArgument) value).format())
                .containsExactly(ArgumentFormat.JSON, ArgumentFormat.JSON);
        assertThat(operation.definition().inputSchema().text()).contains("\"description\":\"Which.\"");
        ArgumentSchema schema = ArgumentSchema.compile(operation.definition().inputSchema());
        assertThat(schema.validationError(new Json("{\"p\":\"x\",\"filter\":{\"a\":1}}")))
                .isEmpty();
        assertThat(schema.validationError(new Json("{\"p\":\"x\",\"filter\":{\"a\":\"b\"}}")))
                .isPresent();
        assertThat(schema.validationError(new Json("{\"p\":\"x\"}"))).isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"properties\":{\"next\":{\"$ref\":\"#\"},\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]} | "
                        + "{\"a\":1,\"next\":{\"a\":2}} | {\"a\":1,\"next\":{}}",
                "{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"$ref\":\"#/properties/a\"}}} | "
                        + "{\"b\":1} | {\"b\":\"x\"}",
                "{\"$ref\":\"#/$defs/p\",\"$defs\":{\"p\":{\"required\":[\"a\"]}}} | {\"a\":1} | {}",
                "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"items\":[{\"$ref\":\"#/definitions/n\"}],"
                        + "\"definitions\":{\"n\":{\"type\":\"integer\"}}} | [1] | [\"x\"]",
                "{\"properties\":{\"default\":{\"$ref\":\"#/properties/a\"},\"a\":{\"type\":\"integer\"}}} | "
                        + "{\"default\":1} | {\"default\":\"x\"}",
                "{\"const\":{\"$ref\":\"#\"}} | {\"$ref\":\"#\"} | {\"$ref\":\"#/properties/body/anyOf/0\"}",
                "{\"$id\":\"https://x/s\",\"properties\":{\"n\":{\"$ref\":\"#\"}},\"required\":[\"a\"]} | "
                        + "{\"a\":1,\"n\":{\"a\":1}} | {\"a\":1,\"n\":{}}",
            })
    void fullResponsesKeepTheReferencesOfADeclaredSchema(String declared, String right, String wrong) {
        HttpOperation operation = HttpOperation.of(
                "a",
                BackendSettings.of(new Json(
                        "{\"method\":\"GET\",\"path\":\"/\",\"response\":\"full\",\"outputSchema\":" + declared + "}")),
                ResponseFormat.BODY);
        ArgumentSchema schema =
                ArgumentSchema.compile(operation.definition().outputSchema().orElseThrow());
        String start = "{\"status\":200,\"headers\":{},\"body\":";
        assertThat(schema.validationError(new Json(start + right + "}"))).isEmpty();
        assertThat(schema.validationError(new Json(start + "null}"))).isEmpty();
        assertThat(schema.validationError(new Json(start + wrong + "}"))).isPresent();
    }

    @Test
    void stylesOfParametersAreRead() {
        HttpOperation operation = find(
                importOperations(paths("'/a/{m}': {get: {operationId: a, parameters: ["
                        + "{name: m, in: path, required: true, style: matrix, explode: true}, "
                        + "{name: s, in: query, style: spaceDelimited}, {name: f, in: query}, "
                        + "{name: r, in: query, explode: false, allowReserved: true}, {name: H, in: header}, "
                        + "{name: odd, in: query, style: simple}]}}")),
                "a");
        assertThat(operation.path().variables().values())
                .extracting(StyledArgument::format)
                .containsExactly(new ArgumentFormat(ParameterStyle.MATRIX, true, false));
        assertThat(operation.parameters())
                .extracting(OperationParameter::value)
                .extracting(value -> ((StyledArgument) value).format())
                .containsExactly(
                        new ArgumentFormat(ParameterStyle.SPACE_DELIMITED, false, false),
                        new ArgumentFormat(ParameterStyle.FORM, true, false),
                        new ArgumentFormat(ParameterStyle.FORM, false, true),
                        new ArgumentFormat(ParameterStyle.SIMPLE, false, false));
    }

    @Test
    void fullResponsesHaveTheSchemaOfTheirBody() {
        HttpOperation operation = find(
                importOperations(
                        "{openapi: 3.1.0, paths: {/a: {get: {operationId: a, responses: {200: {content: "
                                + "{application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}}}}, "
                                + "components: {schemas: {Pet: {type: object, required: [name]}}}}",
                        new ResponseFormat(true, Set.of())),
                "a");
        ArgumentSchema schema =
                ArgumentSchema.compile(operation.definition().outputSchema().orElseThrow());
        String headers = "{\"status\":200,\"headers\":{\"etag\":\"x\"},\"body\":";
        assertThat(schema.validationError(new Json(headers + "{\"name\":1}}"))).isEmpty();
        assertThat(schema.validationError(new Json(headers + "null}"))).isEmpty();
        assertThat(schema.validationError(new Json(headers + "{}}"))).isPresent();
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
                "{openapi: 3.1.0, paths: {/a: {post: {requestBody: {content: {application/json: {schema: {$ref: "
                        + "'#none'}}}}}}}} | which does not exist",
                "{openapi: 3.1.0, paths: {/a: {post: {requestBody: {content: {application/json: {schema: {$ref: '#x', "
                        + "$defs: {a: {$anchor: x}, b: {$anchor: x}}}}}}}}}} | which exists more than once",
                "{openapi: 3.0.3, paths: {/a: {post: {requestBody: {content: {application/json: {schema: {$ref: "
                        + "'#x', $defs: {a: {$anchor: x}}}}}}}}}} | outside the document",
            })
    void invalidDocumentIsReported(String document, String reason) {
        assertThatThrownBy(() -> importOperations(document))
                .isInstanceOf(InvalidBackendException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void tooDeepDocumentIsRefused() {
        assertThatThrownBy(() -> importOperations("[".repeat(100_000))).isInstanceOf(InvalidBackendException.class);
        assertThatThrownBy(() -> importOperations("{\"a\":".repeat(5_000) + "1" + "}".repeat(5_000)))
                .isInstanceOf(InvalidBackendException.class);
    }

    @Test
    void operationsBeyondTheLimitAreListed() {
        StringBuilder many = new StringBuilder("/x: {get: {operationId: first}}");
        for (int i = 0; i < 2_600; i++) {
            many.append(", /p").append(i).append(": {get: {}}");
        }
        OpenApiImporter.ImportedOperations imported = importDocument(paths(many.toString()));
        assertThat(imported.operations()).hasSize(2_000).containsKeys("first", "get_p1998");
        assertThat(imported.unusable()).hasSize(500);
        assertThat(imported.notice())
                .contains("operations of its OpenAPI document that are not in the catalog, because there are too many: "
                        + "101; name those that are wanted in 'include'");
        assertThat(reason(imported, "get_p1999")).contains("more than 2000 operations", "'include'");
    }

    @Test
    void documentThatTakesTooMuchWorkIsReadInPart() throws IOException {
        StringBuilder members = new StringBuilder();
        for (int i = 0; i < 5_000; i++) {
            members.append(", \"x-").append(i).append("\": 1");
        }
        StringBuilder paths = new StringBuilder("\"/ok\": {\"get\": {\"operationId\": \"ok\"}}");
        for (int i = 0; i < 100; i++) {
            paths.append(", \"/p")
                    .append(i)
                    .append("\": {\"post\": {\"operationId\": \"p")
                    .append(i)
                    .append("\", \"requestBody\": {\"content\": {\"application/json\": {\"schema\": {\"allOf\": "
                            + "[{\"$ref\": \"#/components/schemas/Wide\"}]}}}}}}");
        }
        String text = "{\"openapi\": \"3.1.0\", \"paths\": {" + paths
                + "}, \"components\": {\"schemas\": {\"Wide\": {\"type\": \"object\"" + members + "}}}}";
        OpenApiImporter.ImportedOperations imported = importDocument(
                ImportedOpenApiDocument.of(ExactJsonMapper.read(text), 100_000), ResponseFormat.BODY, Map.of());
        assertThat(imported.operations()).containsKeys("ok", "p0").hasSizeLessThan(100);
        assertThat(reason(imported, "p99")).contains("too much work", "'include'");
    }

    @Test
    void schemasOfADocumentAreBoundedTogether() {
        StringBuilder values = new StringBuilder("v");
        for (int i = 0; i < 5_000; i++) {
            values.append(", value").append(i);
        }
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            many.append("/p")
                    .append(i)
                    .append(": {get: {operationId: p")
                    .append(i)
                    .append(", parameters: [{name: x, in: query, schema: {$ref: '#/components/schemas/Big'}}]}}, ");
        }
        Map<String, HttpOperation> operations = importOperations(
                "{openapi: 3.1.0, paths: {" + many + "}, components: {schemas: {Big: {enum: [" + values + "]}}}}");
        assertThat(operations).hasSize(400);
        assertThat(operations.values().stream()
                        .mapToInt(operation ->
                                operation.definition().inputSchema().text().length())
                        .sum())
                .isBetween(15_000_000, 17_000_000);
        assertThat(find(operations, "p0").definition().inputSchema().text()).contains("value4999");
        assertThat(find(operations, "p399").definition().description()).endsWith("is too long and is left out.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\n\t\"openapi\": \"3.0.3\",", " { \"openapi\": \"3.0.3\","})
    void jsonIsReadAsJson(String beginning) {
        assertThat(importOperations(beginning + "\n\t\"paths\": {\"/a\": {\"get\": {\"operationId\": \"a\"}}}}"))
                .containsOnlyKeys("a");
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
        assertThat(operation.definition().description()).endsWith("is too long and is left out.");
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
