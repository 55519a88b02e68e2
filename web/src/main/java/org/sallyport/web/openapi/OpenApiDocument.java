package org.sallyport.web.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.sallyport.web.JsonUtf8Writer;

/** The OpenAPI document of the interface as YAML and JSON. Immutable. */
final class OpenApiDocument {
    private static final String RESOURCE = "/openapi.yaml";

    private final byte[] yaml;
    private final byte[] json;

    private OpenApiDocument(byte[] yaml, byte[] json) {
        this.yaml = yaml;
        this.json = json;
    }

    /** Reads the document from the class path. */
    static OpenApiDocument read() {
        try (InputStream in = OpenApiDocument.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("the application lacks " + RESOURCE);
            }
            byte[] yaml = in.readAllBytes();
            JsonNode tree = new YAMLMapper().readTree(yaml);
            return new OpenApiDocument(yaml, JsonUtf8Writer.bytes(tree));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The document as written, in UTF-8. */
    byte[] yaml() {
        return yaml.clone();
    }

    /** The document as JSON, in UTF-8. */
    byte[] json() {
        return json.clone();
    }
}
