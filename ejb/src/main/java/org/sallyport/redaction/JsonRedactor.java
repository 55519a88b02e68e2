package org.sallyport.redaction;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Redacts secrets in JSON texts. Compares the unescaped member names and texts, so that escapes cannot hide a secret.
 */
public final class JsonRedactor {
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            // Names are untrusted: they could be chosen to make a symbol table slow.
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private JsonRedactor() {}

    /**
     * Returns the JSON text without secrets; the same instance when it contains none. Throws {@link IOException} when
     * it is not valid JSON.
     */
    public static String redact(String json, Redactor redaction) throws IOException {
        if (redaction.isEmpty()) {
            return json;
        }
        // Without escapes, the written text equals its meaning.
        if (json.indexOf('\\') < 0 && redaction.redact(json).equals(json)) {
            return json;
        }
        StringWriter out = new StringWriter(json.length());
        boolean changed = false;
        List<String> hidden = new ArrayList<>();
        try (JsonParser from = JSON.createParser(json);
                JsonGenerator to = JSON.createGenerator(out)) {
            for (JsonToken token = from.nextToken(); token != null; token = from.nextToken()) {
                changed |= copyToken(from, token, to, redaction, hidden);
            }
        }
        return changed ? out.toString() : json;
    }

    private static boolean copyToken(
            JsonParser from, JsonToken token, JsonGenerator to, Redactor redaction, List<String> hidden)
            throws IOException {
        if (!token.isScalarValue() && token != JsonToken.FIELD_NAME) {
            to.copyCurrentEvent(from);
            return false;
        }
        String text = from.getText();
        String clean = redaction.redact(text);
        boolean changed = !clean.equals(text);
        if (token == JsonToken.FIELD_NAME) {
            to.writeFieldName(changed ? uniqueName(clean, hidden) : clean);
        } else if (token == JsonToken.VALUE_STRING || changed) {
            to.writeString(clean);
        } else if (token.isNumeric()) {
            to.writeNumber(text);
        } else {
            to.copyCurrentEvent(from);
        }
        return changed;
    }

    /** Redaction must not give two members of an object the same name. */
    private static String uniqueName(String name, List<String> hidden) {
        hidden.add(name);
        return hidden.size() == 1 ? name : name + " " + hidden.size();
    }
}
