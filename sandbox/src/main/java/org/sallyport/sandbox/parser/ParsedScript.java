package org.sallyport.sandbox.parser;

import org.sallyport.sandbox.SourceLanguage;

/** A parsed script that may run. */
public sealed interface ParsedScript {

    /** Returns the language of the script, never {@link SourceLanguage#UNSPECIFIED}. */
    SourceLanguage language();

    /** Returns whether the text as it stands is no valid script, but the content of its code fence is. */
    boolean fenced();

    /** Returns the same script as the content of such a code fence. */
    ParsedScript asFenced();

    /**
     * Code to run.
     *
     * @param functionExpression an expression in parentheses whose value is an async function; it takes the script's
     *     {@code args} and {@code context}, a function that returns a library module by name, one that returns a
     *     promise of it, an object with the globals that scripts do not have, a function that opens a list of
     *     resources, one that returns the helpers of calls with spread arguments, and for a tested script the function
     *     of {@link TestScope}. For tests, the value is a function that returns such a function, see there
     * @param positions from positions in {@code functionExpression} to the author's
     * @param language the language as which the script is valid
     * @param nullWarning the warning to print if the result is {@code null}; empty if there is none
     */
    record ScriptProgram(
            String functionExpression,
            PositionMap positions,
            SourceLanguage language,
            String nullWarning,
            boolean fenced)
            implements ParsedScript {
        @Override
        public ParsedScript asFenced() {
            return new ScriptProgram(functionExpression, positions, language, nullWarning, true);
        }
    }

    /**
     * One tool call written as JSON.
     *
     * @param tool name of backend and tool, separated by a dot, as written
     * @param arguments JSON text
     */
    record JsonToolCall(String tool, String arguments, boolean fenced) implements ParsedScript {
        @Override
        public SourceLanguage language() {
            return SourceLanguage.JAVASCRIPT;
        }

        @Override
        public ParsedScript asFenced() {
            return new JsonToolCall(tool, arguments, true);
        }
    }
}
