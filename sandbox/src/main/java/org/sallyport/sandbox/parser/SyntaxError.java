package org.sallyport.sandbox.parser;

/**
 * A syntax error and its position.
 *
 * @param message the error, without the position
 * @param position where the error is
 */
public record SyntaxError(String message, SourcePosition position) {}
