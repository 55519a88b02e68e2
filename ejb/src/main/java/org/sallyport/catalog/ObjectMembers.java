package org.sallyport.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The members that all parts of a schema together declare for an object.
 *
 * @param properties the schemas of named members
 * @param required the names of members that an object must have
 * @param otherMembers the schemas of members that are not named
 */
record ObjectMembers(Map<String, JsonNode> properties, Set<String> required, List<JsonNode> otherMembers) {
    static ObjectMembers of(List<JsonNode> parts) {
        Map<String, JsonNode> properties = new LinkedHashMap<>();
        Set<String> required = new HashSet<>();
        List<JsonNode> others = new ArrayList<>();
        for (JsonNode part : parts) {
            if (part.path("properties").isObject()) {
                part.path("properties")
                        .properties()
                        .forEach(member -> properties.merge(member.getKey(), member.getValue(), ObjectMembers::both));
            }
            part.path("required").forEach(name -> required.add(name.asText()));
            if (part.path("patternProperties").isObject()) {
                part.path("patternProperties").forEach(others::add);
            }
            if (part.path("additionalProperties").isObject()
                    && !part.path("additionalProperties").isEmpty()) {
                others.add(part.path("additionalProperties"));
            }
        }
        return new ObjectMembers(properties, required, others);
    }

    private static JsonNode both(JsonNode first, JsonNode second) {
        ObjectNode both = JsonNodeFactory.instance.objectNode();
        both.putArray("allOf").add(first).add(second);
        return both;
    }

    boolean isEmpty() {
        return properties.isEmpty() && otherMembers.isEmpty();
    }
}
