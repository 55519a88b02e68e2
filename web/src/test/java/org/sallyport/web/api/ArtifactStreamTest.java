package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactReader;
import org.sallyport.web.async.StreamSource;

class ArtifactStreamTest {
    /** Opens an artifact of five bytes. */
    private static ArtifactStream open(byte[]... chunks) {
        Artifact artifact =
                new Artifact("a b.bin", Artifact.ArtifactKind.BYTES, "application/octet-stream", 5, Instant.EPOCH);
        Iterator<byte[]> left = List.of(chunks).iterator();
        return new ArtifactStream(
                new ArtifactReader() {
                    @Override
                    public Artifact artifact() {
                        return artifact;
                    }

                    @Override
                    public Optional<byte[]> nextChunk() {
                        return left.hasNext() ? Optional.of(left.next()) : Optional.empty();
                    }
                },
                millis -> CompletableFuture.completedFuture(null));
    }

    @Test
    void contentComesInChunksAfterItsLength() {
        ArtifactStream stream = open(new byte[] {1, 2, 3}, new byte[] {4, 5});

        assertThat(stream.contentLength()).hasValue(5);
        assertThat(stream.mediaType()).isEqualTo("application/octet-stream");
        assertThat(stream.headers()).containsEntry("Content-Security-Policy", "sandbox; default-src 'none'");
        assertThat(stream.headers().get("Content-Disposition")).startsWith("attachment; filename=\"a b.bin\"");
        assertThat(stream.next().bytes()).containsExactly(1, 2, 3);
        StreamSource.StreamChunk last = stream.next();
        assertThat(last.bytes()).containsExactly(4, 5);
        assertThat(last.last()).isTrue();
    }

    @Test
    void contentThatIsReplacedEndsBeforeItsLength() {
        ArtifactStream stream = open(new byte[] {1, 2, 3});

        assertThat(stream.next().last()).isFalse();
        assertThat(stream.next()).isEqualTo(StreamSource.StreamChunk.END);
    }
}
