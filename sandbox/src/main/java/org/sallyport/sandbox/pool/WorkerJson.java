package org.sallyport.sandbox.pool;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import org.sallyport.sandbox.protocol.FrameCodec;
import org.sallyport.sandbox.protocol.ProtocolException;

/**
 * Checks the JSON texts of workers. The server inserts them as they are into answers, approvals and callbacks, so each
 * must be one value that all parsers read in the same way. Builds no tree.
 */
final class WorkerJson {
    /** One more than the levels that the guest writes. */
    static final int MAX_DEPTH = 65;
    /** The guest writes whole numbers of at most 1,000 digits, and a sign. */
    static final int MAX_NUMBER_LENGTH = 1_100;
    /** The guest writes exponents from -324 to 308. A larger one is a short text for a number of very many digits. */
    private static final int MAX_EXPONENT_DIGITS = 3;

    // The frame limits the texts and names. The names stay out of a table that all parsers share.
    private static final JsonFactory STRICT = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_NUMBER_LENGTH)
                    .maxNameLength(FrameCodec.MAX_FRAME_BYTES)
                    .maxStringLength(FrameCodec.MAX_FRAME_BYTES)
                    .build())
            .build();

    private WorkerJson() {}

    /** @throws ProtocolException when the text is not exactly one JSON value, or has a duplicate member */
    static void requireValid(String text) throws ProtocolException {
        int depth = 0;
        boolean complete = false;
        try (JsonParser parser = STRICT.createParser(text)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                require(!complete);
                if (token.isNumeric()) {
                    require(isBoundedNumber(parser, token));
                }
                if (token.isStructStart()) {
                    depth++;
                } else if (token.isStructEnd()) {
                    depth--;
                }
                complete = depth == 0;
            }
        } catch (ProtocolException invalid) {
            throw invalid;
        } catch (IOException invalid) {
            throw new ProtocolException("invalid JSON in a frame");
        }
        require(complete);
    }

    private static boolean isBoundedNumber(JsonParser parser, JsonToken token) throws IOException {
        int length = parser.getTextLength();
        if (length > MAX_NUMBER_LENGTH) {
            return false;
        }
        if (token == JsonToken.VALUE_NUMBER_INT) {
            return true;
        }
        char[] text = parser.getTextCharacters();
        int start = parser.getTextOffset();
        int end = start + length;
        int lastDigits = end;
        while (lastDigits > start && text[lastDigits - 1] >= '0' && text[lastDigits - 1] <= '9') {
            lastDigits--;
        }
        return lastDigits == start || text[lastDigits - 1] == '.' || end - lastDigits <= MAX_EXPONENT_DIGITS;
    }

    private static void require(boolean valid) throws ProtocolException {
        if (!valid) {
            throw new ProtocolException("invalid JSON in a frame");
        }
    }
}
