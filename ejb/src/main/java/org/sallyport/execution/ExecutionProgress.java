package org.sallyport.execution;

/**
 * How far a script says it is.
 *
 * @param permille from 0 to 1,000
 * @param text a few words; may be empty
 */
public record ExecutionProgress(int permille, String text) {
    /** Characters of the text, at most. */
    public static final int MAX_TEXT_LENGTH = 1_000;
}
