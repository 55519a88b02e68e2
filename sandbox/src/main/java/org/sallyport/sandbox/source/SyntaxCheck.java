package org.sallyport.sandbox.source;

import java.util.Optional;

/** The opinion of the engine that runs scripts. Runs nothing of what it is asked about. Thread-safe. */
public interface SyntaxCheck {

    /** The first fault of {@code body} as the body of an asynchronous function, which it cannot break out of. */
    Optional<SyntaxError> checkBody(String body);

    /** The first fault of a whole program; one without is kept parsed for its first run. */
    Optional<SyntaxError> checkProgram(String program);
}
