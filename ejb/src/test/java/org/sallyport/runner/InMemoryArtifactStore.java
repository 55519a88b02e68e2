package org.sallyport.runner;

import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactReader;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.FencingToken;

/** Artifacts in memory. */
class InMemoryArtifactStore implements ArtifactStore {
    private final Map<String, ArtifactContent> kept = new TreeMap<>();

    @Override
    public synchronized boolean write(FencingToken fence, String name, ArtifactContent content) {
        kept.put(fence.id() + "/" + name, content);
        return true;
    }

    /** Total size of all artifacts. */
    synchronized long bytes() {
        return kept.values().stream()
                .mapToLong(content -> content.bytes().length)
                .sum();
    }

    @Override
    public synchronized Optional<ArtifactContent> read(ExecutionId id, String name) {
        return Optional.ofNullable(kept.get(id + "/" + name));
    }

    /** Returns the whole content as one chunk. */
    @Override
    public synchronized Optional<ArtifactReader> open(ExecutionId id, String name) {
        return read(id, name).map(content -> {
            Artifact artifact =
                    new Artifact(name, content.kind(), content.contentType(), content.bytes().length, Instant.EPOCH);
            Iterator<byte[]> chunks = List.of(content.bytes()).iterator();
            return new ArtifactReader() {
                @Override
                public Artifact artifact() {
                    return artifact;
                }

                @Override
                public Optional<byte[]> nextChunk() {
                    return chunks.hasNext() ? Optional.of(chunks.next()) : Optional.empty();
                }
            };
        });
    }

    @Override
    public synchronized List<Artifact> list(ExecutionId id) {
        String prefix = id + "/";
        return kept.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix))
                .map(entry -> new Artifact(
                        entry.getKey().substring(prefix.length()),
                        entry.getValue().kind(),
                        entry.getValue().contentType(),
                        entry.getValue().bytes().length,
                        Instant.EPOCH))
                .toList();
    }
}
