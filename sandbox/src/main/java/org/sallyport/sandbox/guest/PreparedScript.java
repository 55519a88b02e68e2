package org.sallyport.sandbox.guest;

import org.graalvm.polyglot.Source;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.parser.ParsedScript;

/**
 * A parsed script with its source, which is the key of the engine's cache of parsed code.
 *
 * @param tests the tests to run against the script instead of running it, or null
 */
record PreparedScript(
        ParsedScript script, Source source, @Nullable PreparedScript tests) {
    static PreparedScript of(ParsedScript script) {
        return new PreparedScript(script, source(script, GuestEngine.SCRIPT_SOURCE), null);
    }

    static PreparedScript withTests(ParsedScript script, ParsedScript tests) {
        return new PreparedScript(
                script,
                source(script, GuestEngine.SCRIPT_SOURCE),
                new PreparedScript(tests, source(tests, GuestEngine.TESTS_SOURCE), null));
    }

    /** Returns the language of the script, and of its tests. */
    SourceLanguage language() {
        boolean typed = script.language() == SourceLanguage.TYPESCRIPT
                || (tests != null && tests.language() == SourceLanguage.TYPESCRIPT);
        return typed ? SourceLanguage.TYPESCRIPT : SourceLanguage.JAVASCRIPT;
    }

    private static Source source(ParsedScript script, String name) {
        return GuestEngine.source(
                name, script instanceof ParsedScript.ScriptProgram program ? program.functionExpression() : "");
    }
}
