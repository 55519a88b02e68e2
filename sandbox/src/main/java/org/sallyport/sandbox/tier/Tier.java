package org.sallyport.sandbox.tier;

import java.util.function.Supplier;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.Toolbox;

/** The way a script is run: always the cheapest that gives the same answer. */
public enum Tier {
    /** One tool call as JSON. */
    DIRECT,
    /** One tool call with literal arguments, as JavaScript or TypeScript. */
    SIMPLE,
    /** Everything else: a script engine runs it. */
    SANDBOX;

    /** The tier of a script that sees these tools. Never fails: what is no script at all is the engine's to refuse. */
    public static Tier of(Script script, Toolbox tools) {
        return of(script, () -> tools);
    }

    /** As {@link #of(Script, Toolbox)}; the tools are asked for only when the script is a call by its text. */
    public static Tier of(Script script, Supplier<Toolbox> tools) {
        return DirectCallMatcher.of(script)
                .flatMap(found -> found.resolveCall(ToolNameLookup.of(tools.get())))
                .map(DirectCall::tier)
                .orElse(SANDBOX);
    }
}
