package org.sallyport.runner;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
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
