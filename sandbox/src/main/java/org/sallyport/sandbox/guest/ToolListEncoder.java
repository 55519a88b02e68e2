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
final class ToolListEncoder {
    private static final JsonFactory JSON = new JsonFactory();

    /** Identifiers by original names, of all that a name can mean. */
    private final Map<String, String> backendIds = new TreeMap<>();

    private final Map<String, Map<String, String>> toolIds = new TreeMap<>();
    /** The original names of what the script sees. */
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

    /** Members of a JSON object, without its braces: {@code backends} and their {@code identifiers}. */
    String backendsJson() {
        return backendsJson;
    }

    /** JSON object of one backend's tools: {@code byName} and {@code identifiers}. */
    String toolsJson(String backend) {
        return toolsJsonByBackend.computeIfAbsent(
                backend,
                name -> "{" + json("byName", toolIdsOf(name), visibleTools.getOrDefault(name, Set.of())) + "}");
    }

    private Map<String, String> toolIdsOf(String backend) {
        return toolIds.getOrDefault(backend, Map.of());
    }

    /**
     * Splits a name such as {@code backend.tool} at the dot after which a known backend's name ends, else at the
     * first dot.
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

    /** JSON list of the original names of backend and tool that a name means; the tool alone may be named. */
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
