package org.sallyport.sandbox.guest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.sallyport.sandbox.GuestTool;

/**
 * The catalog entry of one tool.
 *
 * @param backendId identifier of the backend
 * @param toolId identifier of the tool
 * @param backend name of the backend
 * @param tool name of the tool
 * @param description plain text; may be empty
 * @param declaration in TypeScript; may be empty
 * @param json all metadata as a JSON object, as scripts see it
 */
record ToolEntry(
        String backendId,
        String toolId,
        String backend,
        String tool,
        String description,
        String declaration,
        String json) {
    private static final JsonFactory JSON = new JsonFactory();

    static ToolEntry of(GuestTool tool) {
        String description = "";
        String declaration = "";
        String about = tool.metadataJson().strip();
        try (JsonParser parser = JSON.createParser(about)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                about = "{}";
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value == JsonToken.VALUE_STRING && field.equals("description")) {
                    description = parser.getText();
                } else if (value == JsonToken.VALUE_STRING && field.equals("declaration")) {
                    declaration = parser.getText();
                }
                parser.skipChildren();
            }
        } catch (IOException unreadable) {
            about = "{}";
        }
        return new ToolEntry(
                tool.backendId(),
                tool.toolId(),
                tool.backend(),
                tool.tool(),
                description,
                declaration,
                json(about, tool));
    }

    /** Returns the name that scripts use: {@code backendId.toolId}. */
    String qualifiedId() {
        return backendId + "." + toolId;
    }

    /** Returns the {@link #qualifiedId()} of the entry of {@code tool}. */
    static String qualifiedId(GuestTool tool) {
        return tool.backendId() + "." + tool.toolId();
    }

    /** Returns name, description and declaration, one below the other. */
    String fullText() {
        String head = description.isEmpty() ? qualifiedId() : qualifiedId() + ": " + description;
        return head + "\n\n"
                + (declaration.isEmpty() ? "tools." + qualifiedId() + "(args: object): Promise<unknown>" : declaration);
    }

    /** Our own members come last, where they override members of the same name. */
    private static String json(String about, GuestTool tool) {
        String members = about.substring(1, about.length() - 1).strip();
        return "{" + members + (members.isEmpty() ? "" : ",")
                + "\"name\":" + JsonQuoter.quote(tool.tool())
                + ",\"backend\":" + JsonQuoter.quote(tool.backend())
                + ",\"tool\":" + JsonQuoter.quote(tool.tool())
                + (tool.declaredName().equals(tool.tool())
                        ? ""
                        : ",\"original\":" + JsonQuoter.quote(tool.declaredName()))
                + ",\"path\":" + JsonQuoter.quote(qualifiedId(tool)) + "}";
    }
}
