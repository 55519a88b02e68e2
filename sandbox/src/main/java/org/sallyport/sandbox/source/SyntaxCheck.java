package org.sallyport.sandbox.source;

import java.util.Optional;

/** Says whether a text is, by itself, the body of an asynchronous JavaScript function. Thread-safe. */
@FunctionalInterface
public interface SyntaxCheck {

    /** The first fault of {@code body}, or empty when it is valid. Runs nothing of it. */
    Optional<SyntaxFault> check(String body);
}
