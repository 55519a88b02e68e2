package org.sallyport.artifact;

import java.time.Instant;

/**
 * A file kept with an execution, without its content.
 *
 * @param name as the script named it: any text, never a path
 * @param kind what the script wrote, so that reading gives the same again
 * @param contentType media type
 * @param size bytes
 * @param createdAt when it was written first
 */
public record Artifact(String name, ArtifactKind kind, String contentType, long size, Instant createdAt) {
    /** Characters of a name, at most. */
    public static final int MAX_NAME_LENGTH = 200;

    /** What kind of value was written. */
    public enum ArtifactKind {
        TEXT,
        JSON,
        BYTES
    }
}
