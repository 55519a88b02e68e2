package org.sallyport.sandbox.protocol;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of a flat JSON object. Each member must be taken exactly once: a missing, mistyped or remaining member
 * makes the frame malformed.
 */
final class FrameFields {
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(3)
                    .maxNameLength(32)
                    .maxStringLength(FrameCodec.MAX_FRAME_BYTES)
                    .build())
            .build();

    /** Many small values would take a multiple of the memory of their text. */
    private static final int MAX_MEMBERS = 40;

    /** Enough for the names of more tools than a frame has space for with their descriptions. */
    private static final int MAX_ARRAY_ITEMS = 400_000;

    private final Map<String, Object> values;

    private FrameFields(Map<String, Object> values) {
        this.values = values;
    }

    static FrameFields read(byte[] bytes, int length) throws ProtocolException {
        try (JsonParser parser = JSON.createParser(bytes, 0, length)) {
            expect(parser.nextToken() == JsonToken.START_OBJECT);
            Map<String, Object> values = new HashMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                values.put(name, value(parser));
                expect(values.size() <= MAX_MEMBERS);
            }
            expect(parser.currentToken() == JsonToken.END_OBJECT && parser.nextToken() == null);
            return new FrameFields(values);
        } catch (ProtocolException malformed) {
            throw malformed;
        } catch (IOException malformed) {
            throw new ProtocolException("malformed frame");
        }
    }

    String text(String name) throws ProtocolException {
        return remove(name, String.class);
    }

    @Nullable String textOrNull(String name) throws ProtocolException {
        Object value = values.remove(name);
        expect(value instanceof String || value == JsonNullMarker.NULL);
        return value instanceof String text ? text : null;
    }

    long number(String name) throws ProtocolException {
        return remove(name, Long.class);
    }

    int count(String name) throws ProtocolException {
        long value = number(name);
        expect(value >= 0 && value <= Integer.MAX_VALUE);
        return (int) value;
    }

    boolean bool(String name) throws ProtocolException {
        return remove(name, Boolean.class);
    }

    <E extends Enum<E>> E enumConstant(String name, Class<E> type) throws ProtocolException {
        String text = text(name);
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(text)) {
                return constant;
            }
        }
        throw new ProtocolException("unknown value of " + name);
    }

    <T> List<T> list(String name, Class<T> type) throws ProtocolException {
        List<T> typed = new ArrayList<>();
        for (Object item : remove(name, List.class)) {
            expect(type.isInstance(item));
            typed.add(type.cast(item));
        }
        return typed;
    }

    void requireAllTaken() throws ProtocolException {
        expect(values.isEmpty());
    }

    private <T> T remove(String name, Class<T> type) throws ProtocolException {
        Object value = values.remove(name);
        if (!type.isInstance(value)) {
            throw new ProtocolException("missing or invalid frame field " + name);
        }
        return type.cast(value);
    }

    private static Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> JsonNullMarker.NULL;
            case START_ARRAY -> {
                List<Object> items = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    expect(parser.currentToken() != JsonToken.START_ARRAY);
                    items.add(value(parser));
                    expect(items.size() <= MAX_ARRAY_ITEMS);
                }
                yield items;
            }
            default -> throw new ProtocolException("malformed frame");
        };
    }

    private static void expect(boolean holds) throws ProtocolException {
        if (!holds) {
            throw new ProtocolException("malformed frame");
        }
    }

    private enum JsonNullMarker {
        NULL
    }
}
