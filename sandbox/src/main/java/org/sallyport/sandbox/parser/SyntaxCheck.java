package org.sallyport.sandbox.parser;

import java.util.Optional;

/** Syntax check by the engine that runs scripts. Never runs the checked code. Thread-safe. */
public interface SyntaxCheck {

    /** Returns the first error of {@code body} as the body of an async function, which the code cannot close early. */
    Optional<SyntaxError> checkBody(String body);

    /**
     * Returns the first error of a whole program. The engine caches a valid program in parsed form for its first run.
     */
    Optional<SyntaxError> checkProgram(String program);
}
