package org.sallyport.execution;

/**
 * Progress that a script reports.
 *
 * @param permille from 0 to 1,000
 * @param text a short description; may be empty
 */
public record ExecutionProgress(int permille, String text) {
    /** Maximum length of the text in characters. */
    public static final int MAX_TEXT_LENGTH = 1_000;
}
