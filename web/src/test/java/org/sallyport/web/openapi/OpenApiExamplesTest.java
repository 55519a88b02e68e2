package org.sallyport.web.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.sallyport.web.ProblemType;

class OpenApiExamplesTest {
    private final ApiDescription description = ApiDescription.read();

    @TestFactory
    Stream<DynamicTest> examplesAreValid() {
        Map<String, SchemaExample> examples = new LinkedHashMap<>();
        description.forEachObject((pointer, object) -> {
            if (object.has("schema")) {
                collect(pointer, object, object.path("schema"), examples);
            } else if (pointer.startsWith("/components/schemas/") && isSchema(object) && object.has("example")) {
                examples.put(pointer, new SchemaExample(object, object.path("example")));
            }
        });
        return examples.entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(
                        entry.getKey(),
                        () -> assertThat(description.violations(
                                        entry.getValue().schema(),
                                        entry.getValue().value()))
                                .as("%s", entry.getValue().value())
                                .isEmpty()));
    }

    @Test
    void everyBodyExceptTheOpenApiDocumentHasAnExample() {
        description.forEachObject((pointer, object) -> {
            boolean body = pointer.matches(".*/content/[^/]+") && !pointer.startsWith("/paths/~1openapi/");
            if (body) {
                JsonNode schema = description.resolved(object.path("schema"));
                assertThat(object.has("example") || object.has("examples") || schema.has("example"))
                        .as(pointer)
                        .isTrue();
            }
        });
    }

    @Test
    void problemExamplesMatchExistingProblemTypes() {
        description.forEachObject((pointer, object) -> {
            String type = object.path("type").asText();
            if (type.startsWith("urn:")) {
                assertThat(Arrays.stream(ProblemType.values()))
                        .as(pointer)
                        .anyMatch(known -> known.uri().equals(type)
                                && known.status() == object.path("status").asInt()
                                && known.title().equals(object.path("title").asText()));
            }
        });
    }

    private void collect(String pointer, ObjectNode holder, JsonNode schema, Map<String, SchemaExample> examples) {
        if (holder.has("example")) {
            examples.put(pointer, new SchemaExample(schema, holder.path("example")));
        }
        holder.path("examples")
                .properties()
                .forEach(entry -> examples.put(
                        pointer + "/" + entry.getKey(),
                        new SchemaExample(
                                schema, description.resolved(entry.getValue()).path("value"))));
    }

    private static boolean isSchema(ObjectNode object) {
        return object.has("type") || object.has("allOf") || object.has("oneOf");
    }

    private record SchemaExample(JsonNode schema, JsonNode value) {}
}
