package org.sallyport.connector.bean;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sallyport.bean.Param;
import org.sallyport.bean.Tool;
import org.sallyport.bean.ToolContext;
import org.sallyport.catalog.BackendNameRules;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/** A method of a bean as a tool. Thread-safe. */
final class BeanTool {
    private static final String PATH = "arguments";
    private static final int NO_CONTEXT = -1;

    private final ToolDefinition definition;
    private final MethodHandle method;
    private final MappedMembers members;
    private final int contextIndex;
    private final ReturnTypeMapper returnMapper;

    private BeanTool(
            ToolDefinition definition,
            MethodHandle method,
            MappedMembers members,
            int context,
            ReturnTypeMapper returned) {
        this.definition = definition;
        this.method = method;
        this.members = members;
        this.contextIndex = context;
        this.returnMapper = returned;
    }

    /** Creates a tool; throws {@link BeanMappingException} with the reason if the method cannot be a tool. */
    static BeanTool of(Method method) {
        Tool said = method.getAnnotation(Tool.class);
        if (!Modifier.isPublic(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
            throw new BeanMappingException("the method", "must be public and not static");
        }
        String name = said.name().isEmpty() ? method.getName() : said.name();
        if (!BackendNameRules.isToolName(name)) {
            throw new BeanMappingException(
                    "the name '" + name + "'", "must be at most 128 letters, digits, '_', '-' or '.'");
        }
        if (said.value().isBlank()) {
            throw new BeanMappingException("the description", "is empty");
        }
        MappedMembers members = new MappedMembers(members(method));
        ReturnTypeMapper returned = ReturnTypeMapper.of(method);
        ToolDefinition definition = new ToolDefinition(
                name, name, said.value(), new Json(members.schema().toString()), returned.schema(), hints(said));
        try {
            method.setAccessible(true); // the class of the method need not be public
            MethodHandle handle = MethodHandles.lookup().unreflect(method);
            return new BeanTool(
                    definition,
                    MethodHandleAdapter.invoker(handle, method.getParameterCount()),
                    members,
                    contextIndex(method),
                    returned);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException(method + " cannot be called", e);
        }
    }

    private static ToolHints hints(Tool said) {
        if (said.readOnly() && said.destructive()) {
            throw new BeanMappingException("the annotation @Tool", "is both readOnly and destructive");
        }
        return new ToolHints(said.readOnly(), said.readOnly() || said.idempotent(), said.destructive());
    }

    private static List<MappedMember> members(Method method) {
        List<MappedMember> members = new ArrayList<>();
        for (Parameter parameter : method.getParameters()) {
            if (parameter.getType() != ToolContext.class) {
                Param said = parameter.getAnnotation(Param.class);
                if (!parameter.isNamePresent() && (said == null || said.name().isEmpty())) {
                    throw new BeanMappingException(
                            "the parameter " + parameter.getName(),
                            "has no name: compile with -parameters, or name it by @Param(name = …)");
                }
                members.add(MappedMember.of(
                        new TypeMapperResolver(),
                        parameter,
                        parameter.getName(),
                        parameter.getParameterizedType(),
                        parameter.getAnnotatedType(),
                        ""));
            }
        }
        return members;
    }

    private static int contextIndex(Method method) {
        int found = NO_CONTEXT;
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            if (types[i] == ToolContext.class) {
                if (found != NO_CONTEXT) {
                    throw new BeanMappingException("the context", "occurs twice");
                }
                found = i;
            }
        }
        return found;
    }

    ToolDefinition definition() {
        return definition;
    }

    /** Converts arguments to the parameters of the method; throws {@link BeanMappingException} if they do not match. */
    @Nullable Object[] parameters(Json arguments, ToolContext call) {
        @Nullable Object[] values = members.read(ExactJsonReader.readTree(arguments), PATH);
        if (contextIndex == NO_CONTEXT) {
            return values;
        }
        @Nullable Object[] all = new @Nullable Object[values.length + 1];
        System.arraycopy(values, 0, all, 0, contextIndex);
        all[contextIndex] = call;
        System.arraycopy(values, contextIndex, all, contextIndex + 1, values.length - contextIndex);
        return all;
    }

    /** Calls the method; returns its result and throws its exceptions. */
    @Nullable Object call(Object bean, @Nullable Object[] parameters) throws Throwable {
        return method.invokeExact(bean, parameters);
    }

    /** Converts a result to JSON; throws {@link BeanMappingException} if it cannot be written. */
    Json result(@Nullable Object value) {
        return returnMapper.toJson(value);
    }
}
