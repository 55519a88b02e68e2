package org.sallyport.sandbox.guest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.Toolbox;

/** A list of tools in the form the prelude reads: of each backend by itself, so that only what is used is built. */
final class ToolMenu {
    private static final JsonFactory JSON = new JsonFactory();

    /** Identifiers by original names, of all that a name can mean. */
    private final Map<String, String> backendIds = new TreeMap<>();

    private final Map<String, Map<String, String>> toolIds = new TreeMap<>();
    /** The original names of what the script sees. */
    private final Map<String, Set<String>> seen = new TreeMap<>();

    private final Map<String, String> texts = new ConcurrentHashMap<>();
    private final String backends;

    ToolMenu(Toolbox toolbox) {
        Stream.concat(toolbox.tools().stream(), toolbox.others().stream()).forEach(tool -> {
            backendIds.put(tool.backend(), tool.backendId());
            toolIds.computeIfAbsent(tool.backend(), name -> new TreeMap<>()).put(tool.tool(), tool.toolId());
        });
        toolbox.tools()
                .forEach(tool -> seen.computeIfAbsent(tool.backend(), name -> new TreeSet<>())
                        .add(tool.tool()));
        backends = json("backends", backendIds, seen.keySet());
    }

    /** Members of a JSON object, without its braces: {@code backends} and their {@code identifiers}. */
    String backends() {
        return backends;
    }

    /** JSON object of one backend's tools: {@code byName} and {@code identifiers}. */
    String tools(String backend) {
        return texts.computeIfAbsent(
                backend, name -> "{" + json("byName", ids(name), seen.getOrDefault(name, Set.of())) + "}");
    }

    private Map<String, String> ids(String backend) {
        return toolIds.getOrDefault(backend, Map.of());
    }

    /**
     * Splits a name such as {@code backend.tool} at the dot after which a known backend's name ends, else at the
     * first dot.
     */
    GuestTool split(String name) {
        for (int dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
            String head = name.substring(0, dot);
            for (Map.Entry<String, String> backend : backendIds.entrySet()) {
                if (backend.getKey().equals(head) || backend.getValue().equals(head)) {
                    return new GuestTool(backend.getKey(), original(backend.getKey(), name.substring(dot + 1)));
                }
            }
        }
        int dot = name.indexOf('.');
        return new GuestTool(name.substring(0, dot), name.substring(dot + 1));
    }

    /** JSON list of the original names of backend and tool that a name means; the tool alone may be named. */
    String canonical(String name) {
        GuestTool tool = name.indexOf('.') > 0
                ? split(name)
                : seen.entrySet().stream()
                        .filter(entry -> entry.getValue().contains(original(entry.getKey(), name)))
                        .map(entry -> new GuestTool(entry.getKey(), original(entry.getKey(), name)))
                        .findFirst()
                        .orElse(new GuestTool("", name));
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            generator.writeStartArray();
            generator.writeString(tool.backend());
            generator.writeString(tool.tool());
            generator.writeEndArray();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private String original(String backend, String tool) {
        Map<String, String> ids = ids(backend);
        return ids.entrySet().stream()
                .filter(entry -> entry.getValue().equals(tool) && !ids.containsKey(tool))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(tool);
    }

    /** Original names first: where one equals the identifier of another, the published identifier stands. */
    private static String json(String field, Map<String, String> identifierByName, Set<String> seen) {
        Map<String, String> byName = new TreeMap<>();
        identifierByName.forEach((name, identifier) -> byName.put(name, name));
        identifierByName.forEach((name, identifier) -> byName.put(identifier, name));
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            generator.writeStartObject();
            generator.writeObjectFieldStart(field);
            for (Map.Entry<String, String> entry : byName.entrySet()) {
                generator.writeStringField(entry.getKey(), entry.getValue());
            }
            generator.writeEndObject();
            generator.writeArrayFieldStart("identifiers");
            for (Map.Entry<String, String> entry : identifierByName.entrySet()) {
                if (seen.contains(entry.getKey())) {
                    generator.writeString(entry.getValue());
                }
            }
            generator.writeEndArray();
            generator.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.getBuffer().substring(1, text.getBuffer().length() - 1);
    }
}
