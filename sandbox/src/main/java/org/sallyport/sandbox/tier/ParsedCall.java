package org.sallyport.sandbox.tier;

import java.util.List;
import java.util.Optional;
import org.sallyport.sandbox.source.SourcePosition;

/**
 * A script that is one call with literal arguments and nothing else.
 *
 * @param path the names that lead to the tool: two, or three with {@code tools} or {@code mcp} first
 * @param argument what it is called with, if anything
 * @param returnsResult whether the script's result is the call's
 * @param position what a stack trace gives as the place of the call
 */
record ParsedCall(List<String> path, Optional<JsValue> argument, boolean returnsResult, SourcePosition position) {

    /** @param typed whether types may stand where TypeScript has them */
    static Optional<ParsedCall> parse(String code, boolean typed) {
        try {
            return Optional.of(new SimpleScriptParser(code, typed).parseScript());
        } catch (SimpleScriptParser.NotSimpleException other) {
            return Optional.empty();
        }
    }
}
