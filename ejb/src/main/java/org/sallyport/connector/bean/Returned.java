package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.sallyport.tool.Json;

/**
 * What a method gives.
 *
 * @param shape null when it gives nothing
 * @param nullable whether it may be nothing
 * @param schema where something can be said of it
 */
record Returned(@Nullable Shape shape, boolean nullable, Optional<Json> schema) {
    private static final String PATH = "the result";

    static Returned of(Method method) {
        Type declared = method.getGenericReturnType();
        if (method.getReturnType() != Object.class && CompletionStage.class.isAssignableFrom(method.getReturnType())) {
            declared = Shapes.argument(declared, CompletionStage.class)
                    .orElseThrow(() -> new UnfitException(PATH, "is a stage that does not say of what"));
        }
        if (declared == void.class || declared == Void.class) {
            return new Returned(null, true, Optional.empty());
        }
        Optional<Type> within = Shapes.optional(declared);
        boolean nullable =
                within.isPresent() || Member.isNullable(method) || Member.isNullable(method.getAnnotatedReturnType());
        Type type = within.orElse(declared);
        Shape shape = new Shapes().of(type, PATH);
        boolean anything = type instanceof Class<?> plain && Scalar.isAnything(plain);
        return new Returned(
                shape,
                nullable,
                anything
                        ? Optional.empty()
                        : Optional.of(new Json(schema(shape, nullable).toString())));
    }

    private static ObjectNode schema(Shape shape, boolean nullable) {
        if (!nullable) {
            return shape.schema();
        }
        ObjectNode either = JsonTexts.NODES.objectNode();
        either.putArray("anyOf").add(shape.schema()).addObject().put("type", "null");
        return either;
    }

    /** {@link UnfitException} when it cannot be written. */
    Json json(@Nullable Object value) {
        Object held = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (shape == null || held == null && nullable) {
            return Json.NULL;
        }
        if (held == null) {
            throw new UnfitException(PATH, "is null");
        }
        return held instanceof Json json
                ? json
                : new Json(shape.write(held, PATH).toString());
    }
}
