package org.sallyport.messaging;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Reads and writes message bodies as JSON; every body carries its version. */
final class MessageJson {
    static final int VERSION = 1;
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private MessageJson() {}

    static ObjectNode newMessage() {
        return MAPPER.createObjectNode().put("v", VERSION);
    }

    static JsonNode parse(String text) {
        try {
            JsonNode json = MAPPER.readTree(text);
            if (json == null || !json.isObject() || json.path("v").asInt(0) != VERSION) {
                throw new MalformedMessageException("not a message of version " + VERSION);
            }
            return json;
        } catch (JsonProcessingException e) {
            throw new MalformedMessageException("not JSON: " + e.getOriginalMessage());
        }
    }

    static String text(JsonNode json, String member) {
        JsonNode value = json.path(member);
        if (!value.isTextual()) {
            throw new MalformedMessageException(member + " is missing or not a text");
        }
        return value.textValue();
    }

    static int integer(JsonNode json, String member) {
        JsonNode value = json.path(member);
        if (!value.isInt()) {
            throw new MalformedMessageException(member + " is missing or not a whole number");
        }
        return value.intValue();
    }

    static long number(JsonNode json, String member) {
        JsonNode value = json.path(member);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new MalformedMessageException(member + " is missing or not a whole number");
        }
        return value.longValue();
    }
}
