package org.sallyport.web.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Error;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.dialect.Dialects;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.sallyport.web.JsonUtf8Writer;

/** The API description, for tests that compare it with the code. */
public final class ApiDescription {
    private static final String REF = "$ref";
    private static final String PROPERTIES = "properties";
    private static final SchemaRegistry REGISTRY = SchemaRegistry.withDefaultDialect(
            Dialects.getOpenApi30(),
            builder -> builder.schemaRegistryConfig(
                    SchemaRegistryConfig.builder().formatAssertionsEnabled(true).build()));

    private final JsonNode document;
    private final JsonNode strictComponents;

    private ApiDescription(JsonNode document) {
        this.document = document;
        ObjectNode closed = document.path("components").deepCopy();
        closed.path("schemas")
                .fieldNames()
                .forEachRemaining(name -> forbidUnlistedMembers(
                        (ObjectNode) closed.path("schemas").path(name)));
        this.strictComponents = closed;
    }

    /** Reads the description that the service publishes. */
    public static ApiDescription read() {
        return new ApiDescription(parse(OpenApiDocument.read().json()));
    }

    /** Parses JSON that the service wrote. */
    public static JsonNode parse(byte[] json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes and parses a tree, as a client would see it. */
    public static JsonNode roundTrip(JsonNode json) {
        return parse(JsonUtf8Writer.bytes(json));
    }

    JsonNode document() {
        return document;
    }

    /** The schema of that name. Throws {@link IllegalArgumentException} if there is none. */
    public JsonNode schema(String name) {
        JsonNode schema = document.at("/components/schemas/" + name);
        if (schema.isMissingNode()) {
            throw new IllegalArgumentException("no schema " + name);
        }
        return schema;
    }

    /** The members of the schema of that name, including inherited ones. */
    public Set<String> members(String name) {
        Set<String> members = new TreeSet<>();
        parts(schema(name)).forEach(part -> part.path(PROPERTIES).fieldNames().forEachRemaining(members::add));
        return members;
    }

    /** The members of the schema of that name that are required. */
    public Set<String> required(String name) {
        Set<String> members = new TreeSet<>();
        parts(schema(name)).forEach(part -> part.path("required").forEach(member -> members.add(member.textValue())));
        return members;
    }

    /** The values that the schema of that name lists. */
    public List<String> values(String name) {
        return texts(schema(name).path("enum"));
    }

    static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(item -> texts.add(item.textValue()));
        return texts;
    }

    /** The violations in {@code value} of the schema of that name; members that are not listed are violations too. */
    public List<String> violations(String name, JsonNode value) {
        return violations(new ObjectMapper().createObjectNode().put(REF, "#/components/schemas/" + name), value);
    }

    List<String> violations(JsonNode schema, JsonNode value) {
        // A reference hides its sibling members, so it moves one level down.
        ObjectNode root = new ObjectMapper().createObjectNode();
        root.putArray("allOf").add(schema);
        root.set("components", strictComponents);
        return REGISTRY.getSchema(root).validate(value).stream()
                .map(Error::toString)
                .toList();
    }

    /** The target of a reference within the document; a missing node if there is none. */
    JsonNode target(String reference) {
        return reference.startsWith("#/") ? document.at(reference.substring(1)) : document.at("/missing");
    }

    JsonNode resolved(JsonNode node) {
        return node.has(REF) ? target(node.path(REF).textValue()) : node;
    }

    /** Passes every object of the document with its JSON pointer to {@code consumer}. */
    void forEachObject(BiConsumer<String, ObjectNode> consumer) {
        walk("", document, consumer);
    }

    private static void walk(String pointer, JsonNode node, BiConsumer<String, ObjectNode> consumer) {
        if (node instanceof ObjectNode object) {
            consumer.accept(pointer, object);
            object.properties()
                    .forEach(entry -> walk(
                            pointer + "/" + entry.getKey().replace("~", "~0").replace("/", "~1"),
                            entry.getValue(),
                            consumer));
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                walk(pointer + "/" + i, node.get(i), consumer);
            }
        }
    }

    private List<JsonNode> parts(JsonNode schema) {
        JsonNode resolved = resolved(schema);
        List<JsonNode> parts = new ArrayList<>(List.of(resolved));
        resolved.path("allOf").forEach(part -> parts.addAll(parts(part)));
        return parts;
    }

    /** Clients ignore unknown members, but the service must not send members that are not described. */
    private void forbidUnlistedMembers(ObjectNode schema) {
        ObjectNode properties = new ObjectMapper().createObjectNode();
        ObjectNode required = new ObjectMapper().createObjectNode();
        parts(schema).forEach(part -> {
            part.path(PROPERTIES).properties().forEach(entry -> properties.set(entry.getKey(), entry.getValue()));
            part.path("required").forEach(member -> required.put(member.textValue(), true));
        });
        if (!properties.isEmpty()) {
            schema.remove("allOf");
            schema.put("type", "object");
            schema.set(PROPERTIES, properties);
            schema.put("additionalProperties", false);
            if (!required.isEmpty()) {
                required.fieldNames().forEachRemaining(schema.putArray("required")::add);
            }
        }
    }
}
