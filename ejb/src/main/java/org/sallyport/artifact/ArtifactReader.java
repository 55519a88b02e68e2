package org.sallyport.artifact;

import java.util.Optional;

/** Reads the content of an artifact in chunks, so that never all of it is in memory. Used by one thread at a time. */
public interface ArtifactReader {

    /** The artifact as it was opened. */
    Artifact artifact();

    /**
     * Returns the next chunk of the content; empty at its end. If the artifact was replaced or deleted since it was
     * opened, the content ends before its size is reached. Throws
     * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer; the chunk can be read
     * again then.
     */
    Optional<byte[]> nextChunk();
}
