package org.sallyport.artifact;

/**
 * What an artifact holds; texts and JSON in UTF-8. The array is the owner's: nobody changes it.
 *
 * @param kind what kind of value was written
 * @param contentType media type
 * @param bytes the content
 */
@SuppressWarnings("ArrayRecordComponent")
public record ArtifactContent(Artifact.ArtifactKind kind, String contentType, byte[] bytes) {}
