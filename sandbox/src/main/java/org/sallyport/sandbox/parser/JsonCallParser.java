package org.sallyport.sandbox.parser;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Optional;

/** Recognizes a script that is one tool call as JSON: {@code {"tool": "backend.tool", "arguments": {…}}}. */
public final class JsonCallParser {
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(com.fasterxml.jackson.core.StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private JsonCallParser() {}

    /** Returns the call, or empty if {@code code} is not one; unknown or duplicate members make it something else. */
    public static Optional<ParsedScript.JsonToolCall> parse(String code) {
        String text = code.strip();
        if (!text.startsWith("{") || !text.endsWith("}") || !text.contains("\"tool\"")) {
            return Optional.empty();
        }
        try (JsonParser parser = JSON.createParser(text)) {
            return parseCall(parser, text);
        } catch (IOException notJson) {
            return Optional.empty();
        }
    }

    private static Optional<ParsedScript.JsonToolCall> parseCall(JsonParser parser, String text) throws IOException {
        parser.nextToken();
        String tool = null;
        String arguments = "{}";
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            if (name.equals("tool") && value == JsonToken.VALUE_STRING) {
                tool = parser.getText();
            } else if (name.equals("arguments")) {
                arguments = originalText(parser, text);
            } else {
                return Optional.empty();
            }
        }
        if (tool == null || tool.indexOf('.') < 1 || parser.nextToken() != null) {
            return Optional.empty();
        }
        return Optional.of(new ParsedScript.JsonToolCall(tool, arguments, false));
    }

    /** Returns the author's own text of a value; a conversion of its numbers would change some of them. */
    private static String originalText(JsonParser parser, String text) throws IOException {
        int start = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        return text.substring(start, (int) parser.currentLocation().getCharOffset());
    }
}
