package org.sallyport.artifact;

import java.util.List;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.FencingToken;

/**
 * Keeps artifacts as long as their execution. Throws {@link org.sallyport.execution.StoreUnavailableException} when the store
 * does not answer. Thread-safe.
 */
public interface ArtifactStore {

    /** Keeps {@code content} under {@code name}, in place of what was there; false when the fence holds the execution no more. */
    boolean write(FencingToken fence, String name, ArtifactContent content);

    /** The content under {@code name}. */
    Optional<ArtifactContent> read(ExecutionId id, String name);

    /** All artifacts of an execution, by name. */
    List<Artifact> list(ExecutionId id);
}
