package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The members of an object; no other members are allowed. */
record MappedMembers(List<MappedMember> members) {
    MappedMembers {
        members = List.copyOf(members);
        Set<String> names = new HashSet<>();
        for (MappedMember member : members) {
            if (!names.add(member.name())) {
                throw new BeanMappingException(member.name(), "occurs twice");
            }
        }
    }

    ObjectNode schema() {
        ObjectNode schema = ExactJsonReader.NODES.objectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = ExactJsonReader.NODES.arrayNode();
        for (MappedMember member : members) {
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

    /** Returns the values of the members, in their order. */
    @Nullable Object[] read(JsonNode json, String path) {
        if (!json.isObject()) {
            throw new BeanMappingException(path, "must be an object");
        }
        @Nullable Object[] values = new @Nullable Object[members.size()];
        int there = 0;
        for (int i = 0; i < values.length; i++) {
            MappedMember member = members.get(i);
            JsonNode value = json.get(member.name());
            there += value == null ? 0 : 1;
            values[i] = member.read(value, path + "." + member.name());
        }
        if (there < json.size()) {
            throw unknownMember(json, path);
        }
        return values;
    }

    private BeanMappingException unknownMember(JsonNode json, String path) {
        Set<String> names = members.stream().map(MappedMember::name).collect(Collectors.toSet());
        String strange = json.properties().stream()
                .map(java.util.Map.Entry::getKey)
                .filter(name -> !names.contains(name))
                .findFirst()
                .orElse("");
        return new BeanMappingException(path + "." + strange, "is not known");
    }
}
