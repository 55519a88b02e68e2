package org.sallyport.sandbox.source;

/**
 * What is wrong with a text and where.
 *
 * @param message what is wrong, without the place
 * @param position where
 */
public record SyntaxError(String message, SourcePosition position) {}
