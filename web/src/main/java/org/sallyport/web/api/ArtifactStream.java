package org.sallyport.web.api;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactReader;
import org.sallyport.web.async.StreamSource;

/**
 * The content of an artifact, as a download. If it is replaced in the meantime, it ends before its length, by which the
 * client recognizes it.
 */
final class ArtifactStream implements StreamSource {
    private final ArtifactReader reader;
    private final LongFunction<CompletionStage<Void>> pauses;
    private long unsent;

    /** @param pauses returns a stage that completes after the given milliseconds, on a thread that may block */
    ArtifactStream(ArtifactReader reader, LongFunction<CompletionStage<Void>> pauses) {
        this.reader = reader;
        this.pauses = pauses;
        this.unsent = reader.artifact().size();
    }

    /** The headers of a download. Browsers must never display the content, because it comes from a script. */
    static Map<String, String> headers(Artifact artifact) {
        return Map.of(
                "Content-Disposition",
                ContentDisposition.attachment(artifact.name()),
                "Content-Security-Policy",
                "sandbox; default-src 'none'");
    }

    @Override
    public String mediaType() {
        return reader.artifact().contentType();
    }

    @Override
    public Map<String, String> headers() {
        return headers(reader.artifact());
    }

    @Override
    public OptionalLong contentLength() {
        return OptionalLong.of(reader.artifact().size());
    }

    @Override
    public StreamChunk next() {
        Optional<byte[]> chunk = reader.nextChunk();
        unsent -= chunk.map(bytes -> bytes.length).orElse(0);
        return chunk.map(bytes -> new StreamChunk(bytes, unsent == 0)).orElse(StreamChunk.END);
    }

    @Override
    public CompletionStage<Void> awaitNext(long millis) {
        return pauses.apply(millis);
    }

    @Override
    public byte[] keepAlive() {
        return new byte[0];
    }
}
