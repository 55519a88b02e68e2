package org.sallyport.sandbox;

/**
 * A script as its author wrote it.
 *
 * @param code the source text, unchanged; may hold any UTF-16 code unit
 * @param language the language of {@code code}
 */
public record Script(String code, SourceLanguage language) {}
