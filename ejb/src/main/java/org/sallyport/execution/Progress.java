package org.sallyport.execution;

/**
 * How far a script says it is.
 *
 * @param permille from 0 to 1,000
 * @param text a few words; may be empty
 */
public record Progress(int permille, String text) {
    /** Characters of the text, at most. */
    public static final int TEXT_CHARS = 1_000;
}
