package org.sallyport.artifact;

/**
 * The content of an artifact; texts and JSON are in UTF-8. The array is not copied and must not be changed.
 *
 * @param kind kind of the written value
 * @param contentType media type
 * @param bytes the content
 */
@SuppressWarnings("ArrayRecordComponent")
public record ArtifactContent(Artifact.ArtifactKind kind, String contentType, byte[] bytes) {}
