package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Bounds the size of the schemas of one conversion, and counts the work for its document. The methods throw
 * {@link SchemaTooLargeException} beyond the limits. An instance serves one conversion.
 */
final class SchemaConversionLimit {
    private static final int MAX_DEPTH = 60;
    private static final int MAX_NODES = 5_000;
    private static final int MAX_PARTS = 100_000;
    private static final long MAX_CHARS = 1 << 20;
    /** Number of characters that are written in the time of one step. */
    private static final int CHARS_PER_STEP = 16;

    private final ImportedOpenApiDocument document;
    private int nodes;
    private int parts;
    private long chars;

    /** The schema exceeds the limits on size or depth. */
    static final class SchemaTooLargeException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    SchemaConversionLimit(ImportedOpenApiDocument document) {
        this.document = document;
    }

    /** Counts a schema that is converted. */
    void countNode(JsonNode schema, int depth) {
        countSteps(1L + schema.size());
        if (depth > MAX_DEPTH || ++nodes > MAX_NODES) {
            throw new SchemaTooLargeException();
        }
    }

    /** Counts a schema that is searched. */
    void countPart() {
        if (++parts > MAX_PARTS) {
            throw new SchemaTooLargeException();
        }
    }

    /** Counts a value that is copied. */
    void countValue(JsonNode value) {
        int length = value.toString().length();
        countSteps(length / CHARS_PER_STEP);
        countCharacters(length);
    }

    void countCharacters(int length) {
        chars += length;
        if (chars > MAX_CHARS) {
            throw new SchemaTooLargeException();
        }
    }

    /** Counts work of any kind. */
    void countSteps(long steps) {
        document.countSteps(steps);
    }
}
