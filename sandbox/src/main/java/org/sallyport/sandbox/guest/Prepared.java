package org.sallyport.sandbox.guest;

import org.graalvm.polyglot.Source;
import org.sallyport.sandbox.source.ReadScript;

/** A script that was read, with the source that the engine keeps its parsed form under. */
record Prepared(ReadScript script, Source source) {
    static Prepared of(ReadScript script) {
        return new Prepared(
                script, GuestEngine.script(script instanceof ReadScript.Program program ? program.wrapped() : ""));
    }
}
