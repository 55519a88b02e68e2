package org.sallyport.connector.bean;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.sallyport.bean.Tool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** The tools of a bean. */
final class BeanTools {
    private final BackendBean bean;
    private final Map<String, BeanTool> tools;

    private BeanTools(BackendBean bean, Map<String, BeanTool> tools) {
        this.bean = bean;
        this.tools = Map.copyOf(tools);
    }

    /** @param problems receives a sentence for each fault */
    static BeanTools of(BackendBean bean, Consumer<String> problems) {
        Map<String, BeanTool> tools = new TreeMap<>();
        Map<String, String> where = new TreeMap<>();
        for (Method method : toolMethods(bean.type())) {
            String place = bean.place() + "." + method.getName();
            try {
                BeanTool tool = BeanTool.of(method);
                String name = tool.definition().name();
                String other = where.putIfAbsent(name, place);
                if (other != null) {
                    problems.accept(place + ": a tool '" + name + "' already exists: " + other);
                } else if (!accepts(bean.backend().value(), tool.definition())) {
                    problems.accept(place + ": its schema is invalid or too large");
                }
                tools.put(name, tool);
            } catch (BeanMappingException e) {
                problems.accept(place + ": " + e.getMessage());
            } catch (LinkageError | TypeNotPresentException e) {
                problems.accept(place + ": a class that its signature needs is missing or invalid: " + e.getMessage());
            }
        }
        if (tools.isEmpty() && where.isEmpty()) {
            problems.accept(bean.place() + ": has no method with @Tool");
        }
        return new BeanTools(bean, tools);
    }

    private static boolean accepts(String backend, ToolDefinition tool) {
        return ToolCatalog.accepts(new ToolSpec(
                new ToolName(backend, tool.name()),
                tool.description(),
                tool.inputSchema(),
                tool.outputSchema(),
                tool.hints()));
    }

    /** The annotated methods, including methods that cannot be called, so that the faults of those are reported. */
    private static List<Method> toolMethods(Class<?> type) {
        Set<Method> all = new LinkedHashSet<>(Arrays.asList(type.getMethods()));
        all.addAll(Arrays.asList(type.getDeclaredMethods()));
        List<Method> tools = new ArrayList<>(all);
        tools.removeIf(method -> method.isBridge() || !method.isAnnotationPresent(Tool.class));
        tools.sort(Comparator.comparing(Method::getName).thenComparing(Method::toString));
        return tools;
    }

    List<ToolDefinition> definitions() {
        return tools.values().stream()
                .map(BeanTool::definition)
                .sorted(Comparator.comparing(ToolDefinition::name))
                .toList();
    }

    Optional<BeanTool> find(String name) {
        return Optional.ofNullable(tools.get(name));
    }

    Object instance() {
        return bean.instance().get();
    }
}
