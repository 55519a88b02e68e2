package org.sallyport.sandbox;

/** The result of checking a script without running it. */
public sealed interface ScriptCheckResult {

    /**
     * The script can be run.
     *
     * @param language the language as which it is valid; the given one, unless that is
     *     {@link SourceLanguage#UNSPECIFIED}
     * @param fenced whether the text as it stands is no valid script, but the content of its code fence is; false for a
     *     fence that no valid script could have
     */
    record ScriptAccepted(SourceLanguage language, boolean fenced) implements ScriptCheckResult {}

    /**
     * The script is not valid.
     *
     * @param message the error, in words that are safe to show to the author
     * @param line 1-based line in the author's own text, or 0 when unknown
     * @param column 1-based column (UTF-16 code units) in that line, or 0 when unknown
     * @param codeFrame a few lines of the author's text around the position, with a marker under it; may be empty
     */
    record ScriptRejected(String message, int line, int column, String codeFrame) implements ScriptCheckResult {}
}
