package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Maps a map with arbitrary keys and values of one type. */
record MapTypeMapper(JsonTypeMapper valueMapper) implements JsonTypeMapper {

    @Override
    public ObjectNode schema() {
        ObjectNode schema = ExactJsonReader.NODES.objectNode().put("type", "object");
        schema.set("additionalProperties", valueMapper.schema());
        return schema;
    }

    @Override
    public Object read(JsonNode json, String path) {
        if (!json.isObject()) {
            throw new BeanMappingException(path, "must be an object");
        }
        Map<String, Object> values = new LinkedHashMap<>();
        json.properties()
                .forEach(entry ->
                        values.put(entry.getKey(), valueMapper.read(entry.getValue(), path + "." + entry.getKey())));
        return Collections.unmodifiableMap(values);
    }

    @Override
    public JsonNode write(Object of, String path) {
        ObjectNode json = ExactJsonReader.NODES.objectNode();
        ((Map<?, ?>) of).forEach((name, one) -> {
            if (one == null) {
                throw new BeanMappingException(path + "." + name, "is null");
            }
            json.set((String) name, valueMapper.write(one, path + "." + name));
        });
        return json;
    }
}
