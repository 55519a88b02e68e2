package org.sallyport.journal;

import org.sallyport.execution.OutputKind;

/**
 * A piece of output.
 *
 * @param kind which stream
 * @param offset where in the stream it begins, in characters (UTF-16 code units)
 * @param text the characters; may hold any code unit
 */
public record OutputChunk(OutputKind kind, long offset, String text) {}
