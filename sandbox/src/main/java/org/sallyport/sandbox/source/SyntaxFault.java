package org.sallyport.sandbox.source;

/**
 * What is wrong with a text and where.
 *
 * @param message what is wrong, without the place
 * @param place where
 */
public record SyntaxFault(String message, Place place) {}
