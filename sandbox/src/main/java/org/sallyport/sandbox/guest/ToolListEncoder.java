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

/** Encodes the list of tools for the prelude, separately per backend, so that only used backends are encoded. */
final class ToolListEncoder {
    private static final JsonFactory JSON = new JsonFactory();

    /** Identifiers by original name, of all names that a script could use. */
    private final Map<String, String> backendIds = new TreeMap<>();

    private final Map<String, Map<String, String>> toolIds = new TreeMap<>();
    /** Names of the tools that the script can see, as their backends declare them, by backend. */
    private final Map<String, Set<String>> visibleTools = new TreeMap<>();

    private final Map<String, String> toolsJsonByBackend = new ConcurrentHashMap<>();
    private final String backendsJson;

    ToolListEncoder(Toolbox toolbox) {
        Stream.concat(toolbox.tools().stream(), toolbox.ungrantedTools().stream())
                .forEach(tool -> {
                    backendIds.put(tool.backend(), tool.backendId());
                    toolIds.computeIfAbsent(tool.backend(), name -> new TreeMap<>())
                            .put(tool.tool(), tool.toolId());
                });
        toolbox.tools()
                .forEach(tool -> visibleTools
                        .computeIfAbsent(tool.backend(), name -> new TreeSet<>())
                        .add(tool.tool()));
        backendsJson = json("backends", backendIds, visibleTools.keySet());
    }

    /** Returns members of a JSON object, without its braces: {@code backends} and their {@code identifiers}. */
    String backendsJson() {
        return backendsJson;
    }

    /** Returns a JSON object of one backend's tools: {@code byName} and {@code identifiers}. */
    String toolsJson(String backend) {
        return toolsJsonByBackend.computeIfAbsent(
                backend,
                name -> "{" + json("byName", toolIdsOf(name), visibleTools.getOrDefault(name, Set.of())) + "}");
    }

    private Map<String, String> toolIdsOf(String backend) {
        return toolIds.getOrDefault(backend, Map.of());
    }

    /**
     * Splits a name such as {@code backend.tool} at the dot that ends the name of a known backend, else at the first
     * dot.
     */
    GuestTool splitName(String name) {
        for (int dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
            String head = name.substring(0, dot);
            for (Map.Entry<String, String> backend : backendIds.entrySet()) {
                if (backend.getKey().equals(head) || backend.getValue().equals(head)) {
                    return new GuestTool(backend.getKey(), originalToolName(backend.getKey(), name.substring(dot + 1)));
                }
            }
        }
        int dot = name.indexOf('.');
        return new GuestTool(name.substring(0, dot), name.substring(dot + 1));
    }

    /**
     * Returns a JSON list of the original names of backend and tool that a name denotes; the name may be a tool's
     * alone.
     */
    String canonicalNameJson(String name) {
        GuestTool tool = name.indexOf('.') > 0
                ? splitName(name)
                : visibleTools.entrySet().stream()
                        .filter(entry -> entry.getValue().contains(originalToolName(entry.getKey(), name)))
                        .map(entry -> new GuestTool(entry.getKey(), originalToolName(entry.getKey(), name)))
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

    private String originalToolName(String backend, String tool) {
        Map<String, String> ids = toolIdsOf(backend);
        return ids.entrySet().stream()
                .filter(entry -> entry.getValue().equals(tool) && !ids.containsKey(tool))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(tool);
    }

    /** Adds original names first, so that an identifier overrides an equal original name of another tool. */
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
