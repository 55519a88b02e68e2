package org.sallyport.sandbox.guest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.Optional;

/** Validates the replies of tools: only JSON that all parsers read in the same way is accepted. */
public final class ToolReplyReader {
    private static final JsonFactory STRICT = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(10_000)
                    .build())
            .build()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    private ToolReplyReader() {}

    /** Returns the reason why a reply must not reach a script; empty if it is valid. */
    public static Optional<String> findError(String json) {
        try (JsonParser parser = STRICT.createParser(json)) {
            while (parser.nextToken() != null) {
                // Reading alone finds all errors.
            }
            return Optional.empty();
        } catch (JsonProcessingException refused) {
            return Optional.of(
                    refused.getOriginalMessage().startsWith("Duplicate field")
                            ? "The tool's reply holds the same key twice in one object"
                            : "The tool's reply is not JSON that can be read safely");
        } catch (IOException impossible) {
            throw new java.io.UncheckedIOException(impossible);
        }
    }
}
