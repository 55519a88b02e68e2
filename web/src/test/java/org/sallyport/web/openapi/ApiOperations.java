package org.sallyport.web.openapi;

import jakarta.servlet.annotation.WebServlet;
import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.sallyport.web.api.ApiApplication;
import org.sallyport.web.error.ErrorServlet;
import org.sallyport.web.mcp.McpServlet;
import org.sallyport.web.webhook.InboundWebhookServlet;

/**
 * The operations of the classes in this module, as {@code METHOD /path}, each with its parameters as {@code in:name}.
 */
public final class ApiOperations {
    private ApiOperations() {}

    static Map<String, Set<String>> resourceOperations() {
        Map<String, Set<String>> operations = new TreeMap<>();
        resourceMethods().forEach((operation, method) -> operations.put(operation, parameters(method)));
        return operations;
    }

    /** The methods of the resource classes, by operation. */
    public static Map<String, Method> resourceMethods() {
        String base = ApiApplication.class.getAnnotation(ApplicationPath.class).value();
        Map<String, Method> operations = new TreeMap<>();
        for (Class<?> type : classes()) {
            Path path = type.getAnnotation(Path.class);
            if (path == null) {
                continue;
            }
            for (Method method : type.getDeclaredMethods()) {
                Path part = method.getAnnotation(Path.class);
                verbs(method)
                        .forEach(verb -> operations.put(
                                verb + " " + joinPath(base, path.value(), part == null ? "" : part.value()), method));
            }
        }
        return operations;
    }

    static Set<String> servletOperations() {
        Set<String> operations = new TreeSet<>();
        for (Class<?> type : classes()) {
            WebServlet servlet = type.getAnnotation(WebServlet.class);
            // Not part of the REST API: the servlet for the container's errors, the servlets of the console, the
            // addresses of inbound webhooks, and MCP, which is a protocol of its own.
            if (servlet != null
                    && type != ErrorServlet.class
                    && type != McpServlet.class
                    && type != InboundWebhookServlet.class
                    && !isConsoleServlet(type)) {
                Stream.concat(Arrays.stream(servlet.urlPatterns()), Arrays.stream(servlet.value()))
                        .forEach(pattern -> operations.add("GET " + pattern));
            }
        }
        return operations;
    }

    private static boolean isConsoleServlet(Class<?> type) {
        return Arrays.stream(type.getAnnotation(WebServlet.class).urlPatterns())
                .allMatch(pattern -> pattern.startsWith("/console"));
    }

    private static List<String> verbs(Method method) {
        return Arrays.stream(method.getAnnotations())
                .map(annotation -> annotation.annotationType().getAnnotation(HttpMethod.class))
                .filter(verb -> verb != null)
                .map(HttpMethod::value)
                .toList();
    }

    private static Set<String> parameters(Method method) {
        Set<String> parameters = new TreeSet<>();
        List<Annotation[]> all = new ArrayList<>(List.of(method.getParameterAnnotations()));
        for (Parameter parameter : method.getParameters()) {
            if (parameter.isAnnotationPresent(BeanParam.class)) {
                for (Class<?> type = parameter.getType(); type != Object.class; type = type.getSuperclass()) {
                    Arrays.stream(type.getDeclaredFields())
                            .map(Field::getAnnotations)
                            .forEach(all::add);
                }
            }
        }
        for (Annotation[] annotations : all) {
            for (Annotation annotation : annotations) {
                if (annotation instanceof PathParam path) {
                    parameters.add("path:" + path.value());
                } else if (annotation instanceof QueryParam query) {
                    parameters.add("query:" + query.value());
                } else if (annotation instanceof HeaderParam header) {
                    parameters.add("header:" + header.value());
                }
            }
        }
        return parameters;
    }

    private static String joinPath(String... parts) {
        StringBuilder path = new StringBuilder();
        for (String part : parts) {
            String bare = part.replaceAll("^/+|/+$", "").replaceAll("\\{\\s*([^}:\\s]+)[^}]*}", "{$1}");
            if (!bare.isEmpty()) {
                path.append('/').append(bare);
            }
        }
        return path.toString();
    }

    private static List<Class<?>> classes() {
        try {
            java.nio.file.Path root = java.nio.file.Path.of(ApiApplication.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            List<Class<?>> classes = new ArrayList<>();
            try (Stream<java.nio.file.Path> files = Files.walk(root)) {
                for (java.nio.file.Path file :
                        files.filter(path -> path.toString().endsWith(".class")).toList()) {
                    String name = root.relativize(file).toString().replaceAll("\\.class$", "");
                    classes.add(Class.forName(
                            name.replaceAll("[/\\\\]", "."), false, ApiApplication.class.getClassLoader()));
                }
            }
            return classes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
