package org.sallyport.artifact;

import java.util.List;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.FencingToken;

/**
 * Stores artifacts for as long as their execution exists. Throws
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ArtifactStore {

    /**
     * Stores {@code content} under {@code name} and replaces earlier content. Returns false when the fencing token no
     * longer owns the execution.
     */
    boolean write(FencingToken fence, String name, ArtifactContent content);

    /** Opens the content under {@code name} to read it in chunks. */
    Optional<ArtifactReader> open(ExecutionId id, String name);

    /** Returns the content under {@code name}, for a caller that can hold all of it. */
    Optional<ArtifactContent> read(ExecutionId id, String name);

    /** Returns all artifacts of an execution, ordered by name. */
    List<Artifact> list(ExecutionId id);
}
