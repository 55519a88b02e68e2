package org.sallyport.connector.bean;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the shapes of types, and refuses every type that has none: a tool with a schema that says less than its method wants would fail at its calls. */
final class Shapes {
    private static final String KNOWN =
            "text, boolean, int, long, double, BigDecimal, Instant, LocalDate, Duration, UUID, enum,"
                    + " record, List, Map by text, JsonNode, Json, and Optional of these as a parameter, component or result";

    /** The records around the one that is looked at. */
    private final Deque<Class<?>> around = new ArrayDeque<>();

    /** {@link UnfitException} naming {@code path} when there is none. */
    Shape of(Type type, String path) {
        if (type instanceof Class<?> plain) {
            Shape scalar = Scalar.of(plain);
            if (scalar != null) {
                return scalar;
            }
            if (plain.isRecord()) {
                return record(plain, path);
            }
        }
        if (type instanceof ParameterizedType generic) {
            Type[] of = generic.getActualTypeArguments();
            if (generic.getRawType() == List.class) {
                return new ListShape(of(of[0], path + "[]"));
            }
            if (generic.getRawType() == Map.class && of[0] == String.class) {
                return new MapShape(of(of[1], path + "{}"));
            }
        }
        throw new UnfitException(path, "has the type " + type.getTypeName() + "; known are " + KNOWN);
    }

    private Shape record(Class<?> type, String path) {
        if (around.contains(type)) {
            throw new UnfitException(path, "is a record that has itself as a part");
        }
        around.push(type);
        try {
            Members members = new Members(Arrays.stream(type.getRecordComponents())
                    .map(component -> member(component, path))
                    .toList());
            return RecordShape.of(type, members);
        } finally {
            around.pop();
        }
    }

    private Member member(RecordComponent component, String path) {
        return Member.of(
                this, component, component.getName(), component.getGenericType(), component.getAnnotatedType(), path);
    }

    /** What an {@link Optional} may hold; empty for another type. */
    static Optional<Type> optional(Type type) {
        return argument(type, Optional.class);
    }

    /** What {@code of} has as its argument, when {@code type} is one. */
    static Optional<Type> argument(Type type, Class<?> of) {
        return type instanceof ParameterizedType generic
                        && generic.getRawType() instanceof Class<?> raw
                        && of.isAssignableFrom(raw)
                ? Optional.of(generic.getActualTypeArguments()[0])
                : Optional.empty();
    }
}
