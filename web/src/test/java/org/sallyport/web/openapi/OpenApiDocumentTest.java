package org.sallyport.web.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sallyport.configuration.Setting;
import org.sallyport.configuration.Settings;
import org.sallyport.web.ProblemType;

class OpenApiDocumentTest {
    /** Read from the request itself, because each can occur on several lines. */
    private static final Set<String> PARAMETERS_WITHOUT_ANNOTATION =
            Set.of("header:Prefer", "header:traceparent", "header:tracestate");

    private static final Set<String> VERBS = Set.of("get", "put", "post", "delete", "patch", "head", "options");

    private final ApiDescription description = ApiDescription.read();

    @Test
    void exactlyTheExistingOperationsAreDescribed() {
        Set<String> answered = new TreeSet<>(ApiOperations.resourceOperations().keySet());
        answered.addAll(ApiOperations.servletOperations());

        assertThat(operations().keySet()).isEqualTo(answered);
    }

    @Test
    void exactlyTheExistingParametersAreDescribed() {
        Map<String, Set<String>> described = new TreeMap<>();
        operations().forEach((name, operation) -> described.put(name, parameters(name, operation)));
        described.keySet().removeAll(ApiOperations.servletOperations());

        assertThat(described).isEqualTo(ApiOperations.resourceOperations());
    }

    @Test
    void everyReferenceHasATarget() {
        description.forEachObject((pointer, object) -> {
            if (object.path("$ref").isTextual()) {
                assertThat(description.target(object.path("$ref").textValue()).isMissingNode())
                        .as("%s: %s", pointer, object.path("$ref"))
                        .isFalse();
            }
        });
    }

    @Test
    void everyComponentIsUsed() {
        Set<String> used = new TreeSet<>();
        description.forEachObject((pointer, object) -> {
            if (object.path("$ref").isTextual()) {
                used.add(object.path("$ref").textValue());
            }
        });

        description.document().path("components").properties().forEach(kind -> {
            if (!kind.getKey().equals("securitySchemes")) {
                kind.getValue()
                        .fieldNames()
                        .forEachRemaining(
                                name -> assertThat(used).contains("#/components/" + kind.getKey() + "/" + name));
            }
        });
    }

    @Test
    void operationIdsAreUniqueAndFitForMethodNames() {
        List<String> ids = new ArrayList<>();
        operations()
                .values()
                .forEach(operation -> ids.add(operation.path("operationId").asText()));

        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.matches("[a-z][A-Za-z]+"));
    }

    @Test
    void everyOperationHasASummaryDescriptionAndDescribedTag() {
        List<String> tags = new ArrayList<>();
        description
                .document()
                .path("tags")
                .forEach(tag -> tags.add(tag.path("name").textValue()));

        operations().forEach((name, operation) -> {
            assertThat(operation.path("summary").asText()).as(name).isNotBlank();
            assertThat(operation.path("description").asText()).as(name).isNotBlank();
            assertThat(tags).as(name).containsAll(ApiDescription.texts(operation.path("tags")));
            assertThat(operation.path("tags")).as(name).hasSize(1);
        });
    }

    @Test
    void everyOperationDescribesTheUnauthorizedResponse() {
        operations()
                .forEach((name, operation) -> assertThat(
                                operation.at("/responses/401/$ref").asText())
                        .as(name)
                        .isEqualTo("#/components/responses/Unauthorized"));
    }

    @Test
    void everyProblemTypeIsNamedUnderItsStatus() {
        String everywhere = description.schema("Problem").path("description").textValue();

        for (ProblemType type : ProblemType.values()) {
            String status = Integer.toString(type.status());
            boolean named = operations().values().stream()
                    .map(operation ->
                            description.resolved(operation.path("responses").path(status)))
                    .anyMatch(response -> response.path("description").asText().contains("`" + type.uri() + "`"));
            assertThat(named || everywhere.contains("`" + type.uri() + "` (" + status + ")"))
                    .as("%s with status %s", type.uri(), status)
                    .isTrue();
        }
    }

    @Test
    void namedProblemsExistWithTheSameStatus() {
        operations()
                .forEach((name, operation) -> operation
                        .path("responses")
                        .properties()
                        .forEach(entry -> {
                            JsonNode response = description.resolved(entry.getValue());
                            found(
                                            "urn:sallyport:problem:[a-z-]+",
                                            response.path("description").asText())
                                    .forEach(uri -> assertThat(types(uri, entry.getKey()))
                                            .as("%s answers %s: %s", name, entry.getKey(), uri)
                                            .isNotEmpty());
                        }));
    }

    @Test
    void namedSettingsExist() {
        Set<String> settings = Settings.all().stream().map(Setting::name).collect(Collectors.toSet());

        assertThat(found("sallyport\\.[a-z]+\\.[a-z-]+", description.document().toString()))
                .isNotEmpty()
                .isSubsetOf(settings);
    }

    @Test
    void documentIsReadableByClientGenerators() {
        ParseOptions resolveEverything = new ParseOptions();
        resolveEverything.setResolve(true);
        resolveEverything.setResolveFully(true);
        String yaml = new String(OpenApiDocument.read().yaml(), StandardCharsets.UTF_8);

        SwaggerParseResult result = new OpenAPIV3Parser().readContents(yaml, List.of(), resolveEverything);

        OpenAPI read = result.getOpenAPI();
        assertThat(result.getMessages()).isEmpty();
        assertThat(read.getPaths().keySet()).isEqualTo(paths());
        assertThat(read.getComponents().getSchemas()).containsKeys("Submission", "Execution", "Trace", "Problem");
    }

    private Map<String, JsonNode> operations() {
        Map<String, JsonNode> operations = new TreeMap<>();
        description
                .document()
                .path("paths")
                .properties()
                .forEach(path -> path.getValue().properties().forEach(operation -> {
                    if (VERBS.contains(operation.getKey())) {
                        operations.put(
                                operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(),
                                operation.getValue());
                    }
                }));
        return operations;
    }

    private Set<String> paths() {
        Set<String> paths = new LinkedHashSet<>();
        description.document().path("paths").fieldNames().forEachRemaining(paths::add);
        return paths;
    }

    private Set<String> parameters(String name, JsonNode operation) {
        String path = name.substring(name.indexOf(' ') + 1);
        List<JsonNode> described = new ArrayList<>();
        operation.path("parameters").forEach(described::add);
        description.document().path("paths").path(path).path("parameters").forEach(described::add);
        Set<String> parameters = new TreeSet<>();
        described.forEach(parameter -> {
            JsonNode resolved = description.resolved(parameter);
            parameters.add(resolved.path("in").textValue() + ":"
                    + resolved.path("name").textValue());
        });
        parameters.removeAll(PARAMETERS_WITHOUT_ANNOTATION);
        return parameters;
    }

    private static List<ProblemType> types(String uri, String status) {
        return Arrays.stream(ProblemType.values())
                .filter(type -> type.uri().equals(uri))
                .filter(type -> Integer.toString(type.status()).equals(status))
                .toList();
    }

    private static Set<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toSet());
    }
}
