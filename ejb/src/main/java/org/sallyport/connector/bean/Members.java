package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An object with these members and no others. */
record Members(List<Member> all) {
    Members {
        all = List.copyOf(all);
        Set<String> names = new HashSet<>();
        for (Member member : all) {
            if (!names.add(member.name())) {
                throw new UnfitException(member.name(), "is there twice");
            }
        }
    }

    ObjectNode schema() {
        ObjectNode schema = JsonTexts.NODES.objectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = JsonTexts.NODES.arrayNode();
        for (Member member : all) {
            properties.set(member.name(), member.schema());
            if (member.isRequired()) {
                required.add(member.name());
            }
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        return schema.put("additionalProperties", false);
    }

    /** The values, in order. */
    @Nullable Object[] read(JsonNode json, String path) {
        if (!json.isObject()) {
            throw new UnfitException(path, "must be an object");
        }
        @Nullable Object[] values = new @Nullable Object[all.size()];
        int there = 0;
        for (int i = 0; i < values.length; i++) {
            Member member = all.get(i);
            JsonNode value = json.get(member.name());
            there += value == null ? 0 : 1;
            values[i] = member.read(value, path + "." + member.name());
        }
        if (there < json.size()) {
            throw strange(json, path);
        }
        return values;
    }

    private UnfitException strange(JsonNode json, String path) {
        Set<String> names = all.stream().map(Member::name).collect(Collectors.toSet());
        String strange = json.properties().stream()
                .map(java.util.Map.Entry::getKey)
                .filter(name -> !names.contains(name))
                .findFirst()
                .orElse("");
        return new UnfitException(path + "." + strange, "is not known");
    }
}
