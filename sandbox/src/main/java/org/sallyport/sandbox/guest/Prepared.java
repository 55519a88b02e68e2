package org.sallyport.sandbox.guest;

import org.graalvm.polyglot.Source;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.source.ReadScript;

/**
 * A script that was read, with the source that the engine keeps its parsed form under.
 *
 * @param tests the tests that are to be run against it instead of running it, or null
 */
record Prepared(ReadScript script, Source source, @Nullable Prepared tests) {
    static Prepared of(ReadScript script) {
        return new Prepared(script, source(script, GuestEngine.SCRIPT), null);
    }

    static Prepared withTests(ReadScript script, ReadScript tests) {
        return new Prepared(
                script,
                source(script, GuestEngine.SCRIPT),
                new Prepared(tests, source(tests, GuestEngine.TESTS), null));
    }

    private static Source source(ReadScript script, String name) {
        return GuestEngine.source(name, script instanceof ReadScript.Program program ? program.wrapped() : "");
    }
}
