package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.connector.http.OpenApiFixture.accepts;
import static org.sallyport.connector.http.OpenApiFixture.find;
import static org.sallyport.connector.http.OpenApiFixture.importDocument;
import static org.sallyport.connector.http.OpenApiFixture.postOperation;
import static org.sallyport.connector.http.OpenApiFixture.requestSchema;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.ArgumentSchema;
import org.sallyport.tool.Json;

/** Schemas of documents mean the same for arguments and results as they do in OpenAPI. */
class OpenApiSchemaConverterTest {
    private static final String PET = """
            Pet: {type: object, required: [id, name, secret], additionalProperties: false, properties: {
              id: {type: string, readOnly: true}, name: {type: string}, secret: {type: string, writeOnly: true},
              owner: {$ref: '#/components/schemas/Owner'}}},
            Owner: {type: object, required: [id, mail], properties: {
              id: {$ref: '#/components/schemas/Id'}, mail: {type: string}}},
            Id: {type: integer, readOnly: true},
            Part: {type: object, properties: {id: {type: integer, readOnly: true}, name: {type: string}}}""";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{$ref: '#/components/schemas/Pet'} | {\"name\":\"a\",\"secret\":\"s\"} | {\"name\":\"a\"}",
                "{$ref: '#/components/schemas/Pet'} | {\"id\":\"1\",\"name\":\"a\",\"secret\":\"s\"} | {\"id\":\"1\"}",
                "{$ref: '#/components/schemas/Pet'} | {\"name\":\"a\",\"secret\":\"s\",\"owner\":{\"mail\":\"m\"}} | "
                        + "{\"name\":\"a\",\"secret\":\"s\",\"owner\":{}}",
                "{type: array, items: {allOf: [{$ref: '#/components/schemas/Pet'}]}} | "
                        + "[{\"name\":\"a\",\"secret\":\"s\"}] | [{}]",
                "{allOf: [{$ref: '#/components/schemas/Part'}, {required: [id, name]}]} | {\"name\":\"a\"} | {}",
                "{allOf: [{$ref: '#/components/schemas/Part'}], required: [id, name]} | {\"name\":\"a\"} | {}",
                "{type: object, required: [id, name], oneOf: [{$ref: '#/components/schemas/Part'}]} | "
                        + "{\"name\":\"a\"} | {}",
                "{type: object, required: [a], properties: {a: {allOf: [{type: string}], readOnly: true}, b: {type: "
                        + "integer}}} | {} | {\"b\":\"x\"}",
                "{type: object, required: [a, b], properties: {a: {allOf: [{$ref: '#/components/schemas/Id'}]}, "
                        + "b: {}}} | {\"b\":1} | {}",
                // A required property of an inner object with the name of one that is only for answers.
                "{type: object, required: [id], properties: {id: {readOnly: true}, in: {type: object, required: [id], "
                        + "properties: {id: {type: integer}}}}} | {\"in\":{\"id\":1}} | {\"in\":{}}",
            })
    void propertiesOfAnswersAloneAreNotRequiredInRequests(String schema, String right, String wrong) {
        ArgumentSchema request = requestSchema("3.0.3", schema, PET);
        assertThat(accepts(request, right)).isTrue();
        assertThat(accepts(request, wrong)).isFalse();
    }

    @Test
    void propertiesOfRequestsAloneAreNotRequiredInAnswers() {
        ArgumentSchema answer = ArgumentSchema.compile(postOperation("3.0.3", "{$ref: '#/components/schemas/Pet'}", PET)
                .definition()
                .outputSchema()
                .orElseThrow());
        assertThat(answer.validationError(new Json("{\"id\":\"1\",\"name\":\"a\"}")))
                .isEmpty();
        assertThat(answer.validationError(new Json("{\"name\":\"a\"}"))).isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{nullable: true, allOf: [{$ref: '#/components/schemas/Person'}]} | {\"name\":\"a\"} | {}",
                "{nullable: true, oneOf: [{$ref: '#/components/schemas/Color'}, {enum: ['']}, {enum: [null]}]} | "
                        + "\"red\" | \"green\"",
                "{nullable: true, anyOf: [{$ref: '#/components/schemas/Color'}]} | \"red\" | \"green\"",
                "{type: object, nullable: true, allOf: [{$ref: '#/components/schemas/Person'}]} | {\"name\":\"a\"} | "
                        + "{}",
                "{type: string, nullable: true, minLength: 1} | \"a\" | \"\"",
                "{type: string, enum: [a], nullable: true} | \"a\" | \"b\"",
                "{enum: [a], nullable: true} | \"a\" | \"b\"",
                "{properties: {a: {type: integer}}, nullable: true} | {\"a\":1} | {\"a\":\"x\"}",
                "{nullable: true, not: {type: 'null'}} | 1 | ``",
            })
    void nullableSchemaAcceptsNull(String schema, String right, String wrong) {
        ArgumentSchema request = requestSchema(
                "3.0.3",
                "{type: object, properties: {v: " + schema + "}}",
                "Person: {type: object, required: [name], properties: {name: {type: string}}}, "
                        + "Color: {type: string, enum: [red]}");
        assertThat(accepts(request, "{\"v\":null}")).isTrue();
        assertThat(accepts(request, "{\"v\":" + right + "}")).isTrue();
        if (!wrong.isEmpty()) {
            assertThat(accepts(request, "{\"v\":" + wrong + "}")).isFalse();
        }
    }

    @Test
    void nullableCountsBesideAListOfTypes() {
        ArgumentSchema request = requestSchema(
                "3.1.0",
                "{type: object, properties: {v: {type: [string, integer], nullable: true}, "
                        + "e: {type: [string], enum: [a], nullable: true}}}",
                "");
        assertThat(accepts(request, "{\"v\":null,\"e\":null}")).isTrue();
        assertThat(accepts(request, "{\"v\":1,\"e\":\"a\"}")).isTrue();
        assertThat(accepts(request, "{\"v\":true}")).isFalse();
        assertThat(accepts(request, "{\"e\":\"b\"}")).isFalse();
    }

    private static final String BASE =
            "Base: {type: object, properties: {id: {type: integer}}, required: [id]}, " + "Name: {type: string}";

    @ParameterizedTest
    @CsvSource({"3.1.0, false", "3.2.0, false", "3.0.3, true"})
    void membersBesideAReferenceCountFromVersion31(String version, boolean ignored) {
        ArgumentSchema create = requestSchema(
                version,
                "{$ref: '#/components/schemas/Base', required: [extra], properties: {extra: {type: string}}}",
                BASE);
        assertThat(accepts(create, "{\"id\":1,\"extra\":\"x\"}")).isTrue();
        assertThat(accepts(create, "{\"extra\":\"x\"}")).isFalse();
        assertThat(accepts(create, "{\"id\":1}")).isEqualTo(ignored);
        ArgumentSchema rename = requestSchema(
                version, "{type: object, properties: {name: {$ref: '#/components/schemas/Name', maxLength: 2}}}", BASE);
        assertThat(accepts(rename, "{\"name\":\"ab\"}")).isTrue();
        assertThat(accepts(rename, "{\"name\":\"abc\"}")).isEqualTo(ignored);
    }

    @ParameterizedTest
    @ValueSource(strings = {"$ref: '#num'", "$dynamicRef: '#num'"})
    void anchorsAreFound(String reference) {
        ArgumentSchema schema = requestSchema(
                "3.1.0",
                "{$ref: '#/components/schemas/A'}",
                "A: {type: object, $defs: {n: {$anchor: num, type: integer}}, properties: {a: {" + reference + "}}}");
        assertThat(accepts(schema, "{\"a\":1}")).isTrue();
        assertThat(accepts(schema, "{\"a\":\"x\"}")).isFalse();
    }

    @Test
    void escapedNamesAndPartsOfPathsAreFound() {
        ArgumentSchema schema = requestSchema(
                "3.0.3",
                "{type: object, properties: {x: {$ref: '#/components/schemas/App.Outer%2BInner'},"
                        + " y: {$ref: '#/components/schemas/App.Outer+Inner/properties/n'}, z: {$ref:"
                        + " '#/paths/~1a/post/requestBody/content/application~1json/schema/properties/w'},"
                        + " w: {type: boolean}}}",
                "App.Outer+Inner: {type: object, required: [n], properties: {n: {type: integer}}}");
        assertThat(accepts(schema, "{\"x\":{\"n\":1},\"y\":2,\"z\":true,\"w\":false}"))
                .isTrue();
        for (String invalid : List.of("{\"x\":{}}", "{\"x\":{\"n\":\"1\"}}", "{\"y\":\"2\"}", "{\"z\":1}")) {
            assertThat(accepts(schema, invalid)).as(invalid).isFalse();
        }
    }

    private static final String PETS = "Cat: {type: object, required: [petType], properties: {petType: {type: string}, "
            + "lives: {type: integer}}}, Dog: {type: object, required: [petType], properties: {petType: {type: "
            + "string}, bark: {type: string}}}, Own: {type: object, properties: {petType: {enum: [own]}}}, "
            + "Inherited: {allOf: [{$ref: '#/components/schemas/Own'}]}";
    private static final String CAT_OR_DOG = "[{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{oneOf: CAT_OR_DOG, discriminator: {propertyName: petType, mapping: {kitty: "
                        + "'#/components/schemas/Cat', dog: Dog}}} | kitty dog | bird Cat Dog",
                "{oneOf: CAT_OR_DOG, discriminator: {propertyName: petType}} | Cat Dog | cat bird",
                "{oneOf: CAT_OR_DOG, discriminator: {propertyName: petType, mapping: {a: Cat, b: Cat}}} | a b Dog | "
                        + "Cat c",
                "{anyOf: CAT_OR_DOG, discriminator: {propertyName: petType, mapping: {kitty: Cat}}} | kitty Dog | "
                        + "Cat",
                "{oneOf: [{$ref: '#/components/schemas/Own'}, {$ref: '#/components/schemas/Cat'}], discriminator: "
                        + "{propertyName: petType}} | own Cat | Own",
                "{oneOf: [{$ref: '#/components/schemas/Inherited'}, {$ref: '#/components/schemas/Dog'}], "
                        + "discriminator: {propertyName: petType}} | own Dog | Inherited",
                "{oneOf: CAT_OR_DOG, anyOf: [{required: [petType]}], discriminator: {propertyName: petType}} | Cat | "
                        + "bird",
            })
    void discriminatorChoosesAmongAlternatives(String schema, String right, String wrong) {
        ArgumentSchema pets = requestSchema("3.0.3", schema.replace("CAT_OR_DOG", CAT_OR_DOG), PETS);
        for (String type : right.split(" ")) {
            assertThat(accepts(pets, "{\"petType\":\"" + type + "\"}")).as(type).isTrue();
        }
        for (String type : wrong.split(" ")) {
            assertThat(accepts(pets, "{\"petType\":\"" + type + "\"}")).as(type).isFalse();
        }
        assertThat(accepts(pets, "{}")).isFalse();
    }

    @Test
    void alternativesOfADiscriminatorKeepTheirOwnSchemas() {
        ArgumentSchema pets = requestSchema(
                "3.0.3",
                "{oneOf: " + CAT_OR_DOG + ", nullable: true, discriminator: {propertyName: petType, mapping: "
                        + "{kitty: Cat, dog: Dog}}}",
                PETS);
        assertThat(accepts(pets, "{\"petType\":\"kitty\",\"lives\":9}")).isTrue();
        assertThat(accepts(pets, "{\"petType\":\"kitty\",\"lives\":\"x\"}")).isFalse();
        assertThat(accepts(pets, "{\"petType\":\"dog\",\"lives\":\"x\"}")).isTrue();
        assertThat(accepts(pets, "null")).isTrue();
    }

    @Test
    void discriminatorMayBeANumber() {
        ArgumentSchema schema = requestSchema(
                "3.0.3",
                "{oneOf: [{$ref: '#/components/schemas/One'}, {$ref: '#/components/schemas/Two'}], discriminator: "
                        + "{propertyName: v, mapping: {'1': One, '2': Two}}}",
                "One: {type: object, properties: {v: {type: integer}, a: {type: string}}}, "
                        + "Two: {type: object, properties: {v: {type: integer}, a: {type: boolean}}}");
        assertThat(accepts(schema, "{\"v\":1,\"a\":\"x\"}")).isTrue();
        assertThat(accepts(schema, "{\"v\":2,\"a\":\"x\"}")).isFalse();
    }

    @Test
    void requiredThatIsNoListHasNoMeaning() {
        ArgumentSchema schema =
                requestSchema("3.0.3", "{type: object, properties: {a: {type: string, required: true}}}", "");
        assertThat(accepts(schema, "{}")).isTrue();
        assertThat(accepts(schema, "{\"a\":1}")).isFalse();
    }

    @Test
    void nullableFormWithFilesAcceptsBytesAndNull() {
        ArgumentSchema schema = ArgumentSchema.compile(find(
                        importDocument("{openapi: 3.0.3, paths: {/a: {post: {operationId: a, requestBody: {content: "
                                        + "{multipart/form-data: {schema: {nullable: true, allOf: [{type: object, "
                                        + "properties: {f: {nullable: true, allOf: [{type: string, format: binary}]}}}]"
                                        + "}}}}}}}}")
                                .operations(),
                        "a")
                .definition()
                .inputSchema());
        assertThat(accepts(schema, "{\"f\":{\"$base64\":\"AA==\"}}")).isTrue();
        assertThat(accepts(schema, "{\"f\":null}")).isTrue();
        assertThat(accepts(schema, "{\"f\":true}")).isFalse();
    }

    @Test
    void valuesOfDiscriminatorsAreBounded() throws IOException {
        String mapping = IntStream.range(0, 2_000)
                .mapToObj(i -> "\"" + i + "\":\"#/components/schemas/A\"")
                .collect(Collectors.joining(","));
        String properties = IntStream.range(0, 1_000)
                .mapToObj(i -> "\"p" + i + "\":{\"oneOf\":[{\"$ref\":\"#/components/schemas/A\"}],"
                        + "\"discriminator\":{\"propertyName\":\"t\",\"mapping\":{" + mapping + "}}}")
                .collect(Collectors.joining(","));
        ImportedOpenApiDocument document =
                ImportedOpenApiDocument.of(ExactJsonMapper.read("{\"openapi\":\"3.1.0\",\"paths\":{},\"components\":"
                        + "{\"schemas\":{\"A\":{},\"All\":{\"properties\":{" + properties + "}}}}}"));
        OpenApiSchemaConverter converter =
                new OpenApiSchemaConverter(document, OpenApiSchemaConverter.SchemaDirection.REQUEST);
        assertThatThrownBy(() -> converter.convert(document.resolveReference("#/components/schemas/All")))
                .isInstanceOf(SchemaConversionLimit.SchemaTooLargeException.class);
    }

    @Test
    void manyPartsOfASchemaAreBounded() {
        StringBuilder parts = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            parts.append("{$ref: '#/components/schemas/A'}, ");
        }
        HttpOperation operation = postOperation(
                "3.1.0",
                "{$ref: '#/components/schemas/A'}",
                "A: {allOf: [" + parts + "{}], required: [x], properties: {x: {$ref: '#/components/schemas/A'}, "
                        + "y: {anyOf: [" + parts + "{}]}}}");
        assertThat(operation.definition().inputSchema().text().length()).isLessThan(70_000);
    }
}
