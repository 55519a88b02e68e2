package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.bean.Param;

/**
 * A parameter of a tool, or a component of a record.
 *
 * @param name name in JSON
 * @param whenAbsent treatment of an absent value
 */
record MappedMember(String name, String description, JsonTypeMapper mapper, AbsentValue whenAbsent) {

    /** Treatment of an absent value. */
    enum AbsentValue {
        REFUSED,
        NULL,
        EMPTY_OPTIONAL
    }

    /** @param path path of the object that contains the member */
    static MappedMember of(
            TypeMapperResolver shapes,
            AnnotatedElement element,
            String javaName,
            Type type,
            AnnotatedType annotated,
            String path) {
        Param said = element.getAnnotation(Param.class);
        String name = said == null || said.name().isEmpty() ? javaName : said.name();
        String here = path.isEmpty() ? name : path + "." + name;
        Optional<Type> within = TypeMapperResolver.optionalType(type);
        AbsentValue absent = within.isPresent()
                ? AbsentValue.EMPTY_OPTIONAL
                : isNullable(element) || isNullable(annotated) ? AbsentValue.NULL : AbsentValue.REFUSED;
        if (absent == AbsentValue.NULL && type instanceof Class<?> plain && plain.isPrimitive()) {
            throw new BeanMappingException(here, "cannot be null, since it is a primitive");
        }
        return new MappedMember(
                name, said == null ? "" : said.value(), shapes.resolve(within.orElse(type), here), absent);
    }

    /** Recognizes a {@code Nullable} annotation of any library. */
    static boolean isNullable(AnnotatedElement element) {
        return Stream.of(element.getAnnotations())
                .map(Annotation::annotationType)
                .anyMatch(type -> type.getSimpleName().equals("Nullable"));
    }

    boolean isRequired() {
        return whenAbsent == AbsentValue.REFUSED;
    }

    ObjectNode schema() {
        ObjectNode schema = mapper.schema();
        return description.isEmpty() ? schema : schema.put("description", description);
    }

    @Nullable Object read(@Nullable JsonNode json, String path) {
        if (json == null || json.isNull() && whenAbsent != AbsentValue.REFUSED) {
            return switch (whenAbsent) {
                case REFUSED -> throw new BeanMappingException(path, "is missing");
                case NULL -> null;
                case EMPTY_OPTIONAL -> Optional.empty();
            };
        }
        Object value = mapper.read(json, path);
        return whenAbsent == AbsentValue.EMPTY_OPTIONAL ? Optional.of(value) : value;
    }

    /** Returns null if the member must be left out. */
    @Nullable JsonNode write(@Nullable Object value, String path) {
        Object held = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (held == null) {
            if (isRequired()) {
                throw new BeanMappingException(path, "is null");
            }
            return null;
        }
        return mapper.write(held, path);
    }
}
