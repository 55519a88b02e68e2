package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** A list of values of one shape. */
record ListShape(Shape item) implements Shape {

    @Override
    public ObjectNode schema() {
        ObjectNode schema = JsonTexts.NODES.objectNode().put("type", "array");
        schema.set("items", item.schema());
        return schema;
    }

    @Override
    public Object read(JsonNode json, String path) {
        if (!json.isArray()) {
            throw new UnfitException(path, "must be a list");
        }
        List<Object> values = new ArrayList<>(json.size());
        for (JsonNode value : json) {
            values.add(item.read(value, path + "[" + values.size() + "]"));
        }
        return List.copyOf(values);
    }

    @Override
    public JsonNode write(Object value, String path) {
        ArrayNode json = JsonTexts.NODES.arrayNode();
        for (Object one : (List<?>) value) {
            String here = path + "[" + json.size() + "]";
            if (one == null) {
                throw new UnfitException(here, "is null");
            }
            json.add(item.write(one, here));
        }
        return json;
    }
}
