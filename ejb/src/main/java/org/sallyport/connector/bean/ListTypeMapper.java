package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Maps a list whose items have one type. */
record ListTypeMapper(JsonTypeMapper itemMapper) implements JsonTypeMapper {

    @Override
    public ObjectNode schema() {
        ObjectNode schema = ExactJsonReader.NODES.objectNode().put("type", "array");
        schema.set("items", itemMapper.schema());
        return schema;
    }

    @Override
    public Object read(JsonNode json, String path) {
        if (!json.isArray()) {
            throw new BeanMappingException(path, "must be a list");
        }
        List<Object> values = new ArrayList<>(json.size());
        for (JsonNode value : json) {
            values.add(itemMapper.read(value, path + "[" + values.size() + "]"));
        }
        return List.copyOf(values);
    }

    @Override
    public JsonNode write(Object value, String path) {
        ArrayNode json = ExactJsonReader.NODES.arrayNode();
        for (Object one : (List<?>) value) {
            String here = path + "[" + json.size() + "]";
            if (one == null) {
                throw new BeanMappingException(here, "is null");
            }
            json.add(itemMapper.write(one, here));
        }
        return json;
    }
}
