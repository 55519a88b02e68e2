package org.sallyport.sandbox.guest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.Optional;

/** Judges what tools answered: JSON in which every reader sees the same. */
public final class ToolReplyReader {
    private static final JsonFactory STRICT = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(10_000)
                    .build())
            .build()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    private ToolReplyReader() {}

    /** Why a reply must not reach a script, if so. */
    public static Optional<String> findError(String json) {
        try (JsonParser parser = STRICT.createParser(json)) {
            while (parser.nextToken() != null) {
                // Reading alone finds what is wrong.
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
