package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the mappers of types. Refuses unsupported types, because a schema that is weaker than the method's requirements
 * would make calls fail. Not thread-safe.
 */
final class TypeMapperResolver {
    private static final String SUPPORTED_TYPES =
            "text, boolean, int, long, double, BigDecimal, Instant, LocalDate, Duration, UUID, enum,"
                    + " record, List, Map with String keys, JsonNode, RawJson, and Optional of these as a parameter,"
                    + " component or result";

    /** The records that enclose the current type. */
    private final Deque<Class<?>> enclosingRecords = new ArrayDeque<>();

    /**
     * Returns the mapper of a type; throws {@link BeanMappingException} naming {@code path} if the type is not
     * supported.
     */
    JsonTypeMapper resolve(Type type, String path) {
        if (type instanceof Class<?> plain) {
            JsonTypeMapper scalar = ScalarTypeMapper.of(plain);
            if (scalar != null) {
                return scalar;
            }
            if (plain.isRecord()) {
                return recordMapper(plain, path);
            }
        }
        if (type instanceof ParameterizedType generic) {
            Type[] of = generic.getActualTypeArguments();
            if (generic.getRawType() == List.class) {
                return new ListTypeMapper(resolve(of[0], path + "[]"));
            }
            if (generic.getRawType() == Map.class && of[0] == String.class) {
                return new MapTypeMapper(resolve(of[1], path + "{}"));
            }
        }
        if (type.getTypeName().equals(JsonNode.class.getName())) {
            // A jar cannot see the service's copy of this class.
            throw new BeanMappingException(
                    path, "has the type JsonNode of another copy of Jackson than the service's; use RawJson instead");
        }
        throw new BeanMappingException(path, "has the type " + type.getTypeName() + "; known are " + SUPPORTED_TYPES);
    }

    private JsonTypeMapper recordMapper(Class<?> type, String path) {
        if (enclosingRecords.contains(type)) {
            throw new BeanMappingException(path, "is a record that contains itself");
        }
        enclosingRecords.push(type);
        try {
            MappedMembers members = new MappedMembers(Arrays.stream(type.getRecordComponents())
                    .map(component -> member(component, path))
                    .toList());
            return RecordTypeMapper.of(type, members);
        } finally {
            enclosingRecords.pop();
        }
    }

    private MappedMember member(RecordComponent component, String path) {
        return MappedMember.of(
                this, component, component.getName(), component.getGenericType(), component.getAnnotatedType(), path);
    }

    /** Returns the type argument of an {@link Optional}; empty for any other type. */
    static Optional<Type> optionalType(Type type) {
        return typeArgument(type, Optional.class);
    }

    /** Returns the first type argument if {@code type} is a parameterized {@code of}; empty otherwise. */
    static Optional<Type> typeArgument(Type type, Class<?> of) {
        return type instanceof ParameterizedType generic
                        && generic.getRawType() instanceof Class<?> raw
                        && of.isAssignableFrom(raw)
                ? Optional.of(generic.getActualTypeArguments()[0])
                : Optional.empty();
    }
}
