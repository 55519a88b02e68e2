package org.sallyport.journal;

import org.sallyport.execution.OutputKind;

/**
 * A chunk of output.
 *
 * @param kind the stream
 * @param offset the position in the stream, in characters (UTF-16 code units)
 * @param text the characters; may contain any code unit
 */
public record OutputChunk(OutputKind kind, long offset, String text) {}
