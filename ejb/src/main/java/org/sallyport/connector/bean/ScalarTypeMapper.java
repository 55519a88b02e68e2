package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.sallyport.bean.RawJson;

/**
 * Maps a type whose values have no members.
 *
 * @param schemaWriter writes the schema
 * @param expectation error message for a value that does not match
 * @param reader returns null for a value that does not match
 */
record ScalarTypeMapper(
        Consumer<ObjectNode> schemaWriter,
        String expectation,
        Function<JsonNode, @Nullable Object> reader,
        Function<Object, @Nullable JsonNode> writer)
        implements JsonTypeMapper {
    private static final JsonNodeFactory JSON = ExactJsonReader.NODES;
    private static final int MAX_SCALE = 1_000;

    private static final Map<Class<?>, JsonTypeMapper> MAPPERS = standardMappers();

    private static Map<Class<?>, JsonTypeMapper> standardMappers() {
        Map<Class<?>, JsonTypeMapper> known = new HashMap<>();
        known.put(
                String.class,
                new ScalarTypeMapper(
                        type("string"),
                        "must be a text",
                        JsonNode::textValue,
                        value -> TextNode.valueOf((String) value)));
        JsonTypeMapper flag = new ScalarTypeMapper(
                type("boolean"),
                "must be true or false",
                json -> json.isBoolean() ? json.booleanValue() : null,
                value -> JSON.booleanNode((Boolean) value));
        known.put(boolean.class, flag);
        known.put(Boolean.class, flag);
        JsonTypeMapper small = integerMapper(Integer.MIN_VALUE, Integer.MAX_VALUE, BigInteger::intValueExact);
        known.put(int.class, small);
        known.put(Integer.class, small);
        JsonTypeMapper large = integerMapper(Long.MIN_VALUE, Long.MAX_VALUE, BigInteger::longValueExact);
        known.put(long.class, large);
        known.put(Long.class, large);
        JsonTypeMapper number = new ScalarTypeMapper(
                type("number"),
                "must be a number that is not too large",
                json -> json.isNumber() && Double.isFinite(json.doubleValue()) ? json.doubleValue() : null,
                value -> Double.isFinite((Double) value) ? JSON.numberNode((Double) value) : null);
        known.put(double.class, number);
        known.put(Double.class, number);
        known.put(
                BigDecimal.class,
                new ScalarTypeMapper(
                        type("number"),
                        "must be a number",
                        json -> json.isNumber() ? json.decimalValue() : null,
                        value -> JSON.numberNode((BigDecimal) value)));
        known.put(Instant.class, textMapper("date-time", Instant::parse));
        known.put(LocalDate.class, textMapper("date", LocalDate::parse));
        known.put(Duration.class, textMapper("duration", Duration::parse));
        known.put(UUID.class, textMapper("uuid", UUID::fromString));
        known.put(JsonNode.class, new ScalarTypeMapper(any -> {}, "must be present", json -> json, value ->
                (JsonNode) value));
        known.put(
                RawJson.class,
                new ScalarTypeMapper(
                        any -> {},
                        "must be present",
                        json -> new RawJson(json.toString()),
                        value -> ExactJsonReader.readTree(ExactJsonReader.validate((RawJson) value))));
        return Map.copyOf(known);
    }

    /** Returns the mapper of {@code type}; null if it is not a supported scalar type. */
    static @Nullable JsonTypeMapper of(Class<?> type) {
        return type.isEnum() ? enumMapper(type) : MAPPERS.get(type);
    }

    static boolean isAnyJson(Class<?> type) {
        return type == RawJson.class || type == JsonNode.class;
    }

    private static Consumer<ObjectNode> type(String name) {
        return schema -> schema.put("type", name);
    }

    private static JsonTypeMapper integerMapper(long least, long max, Function<BigInteger, Object> exact) {
        return new ScalarTypeMapper(
                schema -> schema.put("type", "integer").put("minimum", least).put("maximum", max),
                "must be a whole number from " + least + " to " + max,
                json -> {
                    // JSON Schema treats 5.0 as an integer. A number with a huge exponent is rejected without expanding
                    // it.
                    if (!json.isNumber() || Math.abs((long) json.decimalValue().scale()) > MAX_SCALE) {
                        return null;
                    }
                    try {
                        BigInteger value = json.decimalValue().toBigIntegerExact();
                        boolean fits = value.compareTo(BigInteger.valueOf(least)) >= 0
                                && value.compareTo(BigInteger.valueOf(max)) <= 0;
                        return fits ? exact.apply(value) : null;
                    } catch (ArithmeticException e) {
                        return null;
                    }
                },
                value -> JSON.numberNode(((Number) value).longValue()));
    }

    private static JsonTypeMapper textMapper(String format, Function<String, Object> parse) {
        return new ScalarTypeMapper(
                schema -> schema.put("type", "string").put("format", format),
                "must be a text of the format " + format,
                json -> {
                    try {
                        return json.isTextual() ? parse.apply(json.textValue()) : null;
                    } catch (DateTimeException | IllegalArgumentException e) {
                        return null;
                    }
                },
                value -> TextNode.valueOf(value.toString()));
    }

    private static JsonTypeMapper enumMapper(Class<?> type) {
        Map<String, Object> byName = new LinkedHashMap<>();
        Arrays.stream(type.getEnumConstants()).forEach(constant -> byName.put(((Enum<?>) constant).name(), constant));
        return new ScalarTypeMapper(
                schema -> byName.keySet().forEach(schema.put("type", "string").putArray("enum")::add),
                "must be one of " + String.join(", ", byName.keySet()),
                json -> byName.get(json.textValue()),
                value -> TextNode.valueOf(((Enum<?>) value).name()));
    }

    @Override
    public ObjectNode schema() {
        ObjectNode schema = JSON.objectNode();
        schemaWriter.accept(schema);
        return schema;
    }

    @Override
    public Object read(JsonNode json, String path) {
        Object value = reader.apply(json);
        if (value == null) {
            throw new BeanMappingException(path, expectation);
        }
        return value;
    }

    @Override
    public JsonNode write(Object value, String path) {
        JsonNode json = writer.apply(value);
        if (json == null) {
            throw new BeanMappingException(path, expectation);
        }
        return json;
    }
}
