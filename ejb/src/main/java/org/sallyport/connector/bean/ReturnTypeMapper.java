package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.sallyport.bean.RawJson;
import org.sallyport.tool.Json;

/**
 * Maps the result of a method.
 *
 * @param mapper null for a void method
 * @param nullable whether the result may be null
 * @param schema schema of the result, if one can be derived
 */
record ReturnTypeMapper(@Nullable JsonTypeMapper mapper, boolean nullable, Optional<Json> schema) {
    private static final String PATH = "the result";

    static ReturnTypeMapper of(Method method) {
        Type declared = method.getGenericReturnType();
        if (method.getReturnType() != Object.class && CompletionStage.class.isAssignableFrom(method.getReturnType())) {
            declared = TypeMapperResolver.typeArgument(declared, CompletionStage.class)
                    .orElseThrow(() -> new BeanMappingException(PATH, "is a CompletionStage without a type argument"));
        }
        if (declared == void.class || declared == Void.class) {
            return new ReturnTypeMapper(null, true, Optional.empty());
        }
        Optional<Type> within = TypeMapperResolver.optionalType(declared);
        boolean nullable = within.isPresent()
                || MappedMember.isNullable(method)
                || MappedMember.isNullable(method.getAnnotatedReturnType());
        Type type = within.orElse(declared);
        JsonTypeMapper shape = new TypeMapperResolver().resolve(type, PATH);
        boolean anything = type instanceof Class<?> plain && ScalarTypeMapper.isAnyJson(plain);
        return new ReturnTypeMapper(
                shape,
                nullable,
                anything
                        ? Optional.empty()
                        : Optional.of(new Json(schema(shape, nullable).toString())));
    }

    private static ObjectNode schema(JsonTypeMapper shape, boolean nullable) {
        if (!nullable) {
            return shape.schema();
        }
        ObjectNode either = ExactJsonReader.NODES.objectNode();
        either.putArray("anyOf").add(shape.schema()).addObject().put("type", "null");
        return either;
    }

    /** Converts a result to JSON; throws {@link BeanMappingException} if it cannot be written. */
    Json toJson(@Nullable Object value) {
        Object held = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (mapper == null || held == null && nullable) {
            return Json.NULL;
        }
        if (held == null) {
            throw new BeanMappingException(PATH, "is null");
        }
        return held instanceof RawJson json
                ? ExactJsonReader.validate(json)
                : new Json(mapper.write(held, PATH).toString());
    }
}
