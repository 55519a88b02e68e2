package org.sallyport.sandbox.directcall;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parses JSON as {@code JSON.parse} does: of duplicate members the last value counts, at the position of the first. */
final class JsValueParser {
    /** No limits here, because the size of the input is limited where it enters. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    /** An array or object under construction; exactly one of {@code items} and {@code members} is set. */
    private record OpenContainer(
            @Nullable List<JsValue> items, @Nullable Map<String, JsValue> members, String name) {
        void add(String member, JsValue value) {
            if (items != null) {
                items.add(value);
            } else if (members != null) {
                members.put(member, value);
            }
        }

        JsValue value() {
            return items != null
                    ? new JsValue.JsArray(items)
                    : new JsValue.JsObject(members == null ? Map.of() : members);
        }
    }

    private JsValueParser() {}

    /** @throws IllegalArgumentException when {@code text} is not JSON */
    static JsValue parse(String text) {
        try (JsonParser parser = JSON.createParser(text)) {
            return parseValue(parser);
        } catch (IOException notJson) {
            throw new IllegalArgumentException(notJson);
        }
    }

    /** Not recursive: the depth is limited later, when values hidden by duplicate names are gone. */
    private static JsValue parseValue(JsonParser parser) throws IOException {
        Deque<OpenContainer> open = new ArrayDeque<>();
        String name = "";
        while (true) {
            JsonToken token = parser.nextToken();
            JsValue complete;
            if (token == null) {
                throw new IOException("the JSON text ends too early");
            }
            switch (token) {
                case FIELD_NAME -> {
                    name = parser.currentName();
                    continue;
                }
                case START_ARRAY -> {
                    open.push(new OpenContainer(new ArrayList<>(), null, name));
                    continue;
                }
                case START_OBJECT -> {
                    open.push(new OpenContainer(null, new LinkedHashMap<>(), name));
                    continue;
                }
                case END_ARRAY, END_OBJECT -> {
                    OpenContainer ended = open.pop();
                    name = ended.name();
                    complete = ended.value();
                }
                default -> complete = parseScalar(parser, token);
            }
            if (open.isEmpty()) {
                return complete;
            }
            open.element().add(name, complete);
        }
    }

    private static JsValue parseScalar(JsonParser parser, JsonToken token) throws IOException {
        return switch (token) {
            case VALUE_STRING -> new JsValue.JsString(parser.getText());
            case VALUE_TRUE -> new JsValue.JsBoolean(true);
            case VALUE_FALSE -> new JsValue.JsBoolean(false);
            case VALUE_NULL -> JsValue.NULL;
            default -> new JsValue.JsNumeric(Double.parseDouble(parser.getText()));
        };
    }
}
