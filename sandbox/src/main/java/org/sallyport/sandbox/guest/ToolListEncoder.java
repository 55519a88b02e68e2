package org.sallyport.sandbox.guest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.ToolNameMap;

/** Encodes the list of tools for the prelude, separately per backend, so that only used backends are encoded. */
final class ToolListEncoder {
    private static final JsonFactory JSON = new JsonFactory();

    private final ToolNameMap names;
    private final Map<String, String> toolsJsonByBackend = new ConcurrentHashMap<>();
    private final String backendsJson;

    ToolListEncoder(ToolNameMap names) {
        this.names = names;
        backendsJson =
                members("backends", names.backends(), names.grantedBackends().values());
    }

    /** Returns members of a JSON object, without its braces: {@code backends} and their {@code identifiers}. */
    String backendsJson() {
        return backendsJson;
    }

    /**
     * Returns a JSON object of one backend's tools: {@code byName}, the name of each tool by the texts that denote it,
     * and the {@code identifiers} of the tools that the script can see.
     */
    String toolsJson(String backend) {
        return toolsJsonByBackend.computeIfAbsent(backend, name -> {
            Map<String, String> byText = new TreeMap<>();
            names.tools(name).forEach((text, tool) -> byText.put(text, tool.tool()));
            return "{"
                    + members(
                            "byName",
                            byText,
                            names.grantedTools(name).stream()
                                    .map(GuestTool::toolId)
                                    .toList())
                    + "}";
        });
    }

    /** Returns the tool that {@code backend.tool} denotes; an unknown tool with the names in the text. */
    GuestTool resolve(String name) {
        return names.resolve(name);
    }

    /**
     * Returns a JSON list of the names of backend and tool that a text denotes. The text may be a tool's alone; if it
     * denotes no tool, the name of the backend is empty.
     */
    String canonicalNameJson(String text) {
        GuestTool tool = names.findGranted(text)
                .orElseGet(() -> text.indexOf('.') > 0 ? names.resolve(text) : new GuestTool("", text));
        return json(generator -> {
            generator.writeStartArray();
            generator.writeString(tool.backend());
            generator.writeString(tool.tool());
            generator.writeEndArray();
        });
    }

    private static String members(String field, Map<String, String> nameByText, Collection<String> identifiers) {
        String json = json(generator -> {
            generator.writeStartObject();
            generator.writeObjectFieldStart(field);
            for (Map.Entry<String, String> entry : nameByText.entrySet()) {
                generator.writeStringField(entry.getKey(), entry.getValue());
            }
            generator.writeEndObject();
            generator.writeArrayFieldStart("identifiers");
            for (String identifier : identifiers) {
                generator.writeString(identifier);
            }
            generator.writeEndArray();
            generator.writeEndObject();
        });
        return json.substring(1, json.length() - 1);
    }

    /** Writes a part of a JSON text. */
    private interface JsonPartWriter {
        void writeTo(JsonGenerator generator) throws IOException;
    }

    private static String json(JsonPartWriter part) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            part.writeTo(generator);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }
}
