package org.sallyport.sandbox.guest;

import org.graalvm.polyglot.Source;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.source.ParsedScript;

/**
 * A script that was read, with the source that the engine keeps its parsed form under.
 *
 * @param tests the tests that are to be run against it instead of running it, or null
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

    private static Source source(ParsedScript script, String name) {
        return GuestEngine.source(
                name, script instanceof ParsedScript.ScriptProgram program ? program.functionExpression() : "");
    }
}
