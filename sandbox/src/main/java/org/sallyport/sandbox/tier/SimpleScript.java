package org.sallyport.sandbox.tier;

import java.util.List;
import java.util.Optional;
import org.sallyport.sandbox.source.Place;

/**
 * A script that is one call with literal arguments and nothing else.
 *
 * @param path the names that lead to the tool: two, or three with {@code tools} or {@code mcp} first
 * @param argument what it is called with, if anything
 * @param returned whether the script's result is the call's
 * @param place what a stack trace gives as the place of the call
 */
record SimpleScript(List<String> path, Optional<JsValue> argument, boolean returned, Place place) {

    /** @param typed whether types may stand where TypeScript has them */
    static Optional<SimpleScript> read(String code, boolean typed) {
        try {
            return Optional.of(new SimpleGrammar(code, typed).script());
        } catch (SimpleGrammar.NotSimple other) {
            return Optional.empty();
        }
    }
}
