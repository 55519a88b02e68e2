package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Maps a record to an object. */
final class RecordTypeMapper implements JsonTypeMapper {
    private final MappedMembers members;
    private final MethodHandle constructor;
    private final List<MethodHandle> accessors;

    private RecordTypeMapper(MappedMembers members, MethodHandle constructor, List<MethodHandle> accessors) {
        this.members = members;
        this.constructor = constructor;
        this.accessors = accessors;
    }

    static JsonTypeMapper of(Class<?> type, MappedMembers members) {
        RecordComponent[] components = type.getRecordComponents();
        try {
            Constructor<?> canonical = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            canonical.setAccessible(true);
            List<MethodHandle> accessors = new ArrayList<>();
            for (RecordComponent component : components) {
                Method accessor = component.getAccessor();
                accessor.setAccessible(true);
                accessors.add(MethodHandleAdapter.getter(MethodHandles.lookup().unreflect(accessor)));
            }
            return new RecordTypeMapper(
                    members,
                    MethodHandleAdapter.constructor(
                            MethodHandles.lookup().unreflectConstructor(canonical), components.length),
                    accessors);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    type + " is a record whose constructor or components cannot be" + " accessed", e);
        }
    }

    @Override
    public ObjectNode schema() {
        return members.schema();
    }

    /** Exceptions of the record's constructor are not wrapped. */
    @Override
    public Object read(JsonNode json, String path) {
        @Nullable Object[] values = members.read(json, path);
        try {
            return constructor.invokeExact(values);
        } catch (Throwable e) {
            throw MethodHandleAdapter.unchecked(e);
        }
    }

    @Override
    public JsonNode write(Object value, String path) {
        ObjectNode json = ExactJsonReader.NODES.objectNode();
        for (int i = 0; i < accessors.size(); i++) {
            MappedMember member = members.members().get(i);
            JsonNode part = member.write(readComponent(i, value), path + "." + member.name());
            if (part != null) {
                json.set(member.name(), part);
            }
        }
        return json;
    }

    private @Nullable Object readComponent(int place, Object value) {
        try {
            return accessors.get(place).invokeExact(value);
        } catch (Throwable e) {
            throw MethodHandleAdapter.unchecked(e);
        }
    }
}
