package org.sallyport.connector.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.NullNode;

/**
 * Reads JSON or YAML 1.2. A text that begins like JSON is JSON; comments and a comma behind the last member are allowed
 * in it, as editors write them. A byte order mark is skipped. Two members of one name are an error in both. Errors do
 * not quote values, which may be secret.
 */
public final class JsonOrYamlReader {
    /** Maximum number of levels. */
    public static final int MAX_DEPTH = 200;

    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS, JsonReadFeature.ALLOW_TRAILING_COMMA)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private JsonOrYamlReader() {}

    /**
     * Reads a text, whose length is bounded by the caller.
     *
     * @return the root; null if the text is empty or has comments only
     */
    public static JsonNode read(String text) throws UnreadableDocumentException {
        String document = text.startsWith("\ufeff") ? text.substring(1) : text;
        return isJson(document) ? readJson(document) : YamlTreeReader.read(document, MAX_DEPTH);
    }

    /** YAML may begin with a brace, too, but its first member is rarely in quotation marks. */
    private static boolean isJson(String text) {
        int first = skipBlanks(text, 0);
        if (first == text.length()) {
            return false;
        }
        int next = skipBlanks(text, first + 1);
        return switch (text.charAt(first)) {
            case '{' -> next == text.length() || "\"}/".indexOf(text.charAt(next)) >= 0;
            case '/' -> next < text.length() && "/*".indexOf(text.charAt(next)) >= 0;
            case '[' -> true;
            default -> false;
        };
    }

    private static int skipBlanks(String text, int from) {
        int index = from;
        while (index < text.length() && " \t\r\n".indexOf(text.charAt(index)) >= 0) {
            index++;
        }
        return index;
    }

    private static JsonNode readJson(String text) throws UnreadableDocumentException {
        try {
            JsonNode root = JSON.readTree(text);
            return root == null || root.isMissingNode() ? NullNode.instance : root;
        } catch (JsonProcessingException e) {
            JsonLocation place = e.getLocation();
            String reason = "is no JSON: " + reason(e);
            throw place == null
                    ? new UnreadableDocumentException(reason)
                    : new UnreadableDocumentException(reason, place.getLineNr(), place.getColumnNr());
        }
    }

    /** The parser quotes words that are not in quotation marks. */
    private static String reason(JsonProcessingException failure) {
        String message = firstLine(failure.getOriginalMessage());
        return message.startsWith("Unrecognized token")
                ? "a value is no text in quotation marks, no number, and not true, false or null"
                : message;
    }

    static String firstLine(String message) {
        return message.lines().findFirst().orElse("");
    }
}
