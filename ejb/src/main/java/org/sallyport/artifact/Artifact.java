package org.sallyport.artifact;

import java.time.Instant;

/**
 * A file stored with an execution, without its content.
 *
 * @param name name that the script chose: any text, never a path
 * @param kind kind of the written value, so that a read returns the same kind
 * @param contentType media type
 * @param size size in bytes
 * @param createdAt when it was first written
 */
public record Artifact(String name, ArtifactKind kind, String contentType, long size, Instant createdAt) {
    /** Maximum length of a name in characters. */
    public static final int MAX_NAME_LENGTH = 200;

    /** Kind of a written value. */
    public enum ArtifactKind {
        TEXT,
        JSON,
        BYTES
    }
}
