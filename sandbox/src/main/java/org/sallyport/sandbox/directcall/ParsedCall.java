package org.sallyport.sandbox.directcall;

import java.util.List;
import java.util.Optional;
import org.sallyport.sandbox.parser.SourcePosition;

/**
 * A script that is one call with literal arguments and nothing else.
 *
 * @param path the names that lead to the tool: two, or three with {@code tools} or {@code mcp} first
 * @param argument the argument of the call, if any
 * @param returnsResult whether the result of the script is the result of the call
 * @param position position of the call in a stack trace
 */
record ParsedCall(List<String> path, Optional<JsValue> argument, boolean returnsResult, SourcePosition position) {

    /**
     * @param typed whether TypeScript types are accepted
     */
    static Optional<ParsedCall> parse(String code, boolean typed) {
        try {
            return Optional.of(new SimpleScriptParser(code, typed).parseScript());
        } catch (SimpleScriptParser.NotSimpleException other) {
            return Optional.empty();
        }
    }
}
