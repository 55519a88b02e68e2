package org.sallyport.sandbox.directcall;

import java.util.function.Supplier;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.Toolbox;

/** How a script is run: always the cheapest way that gives the same result. */
public enum Tier {
    /** One tool call as JSON. */
    DIRECT,
    /** One tool call with literal arguments, as JavaScript or TypeScript. */
    SIMPLE,
    /** Every script that is neither {@code DIRECT} nor {@code SIMPLE}; a JavaScript engine runs it. */
    SANDBOX;

    /** Returns the tier of a script that sees these tools. Never fails: the engine refuses an invalid script later. */
    public static Tier of(Script script, Toolbox tools) {
        return of(script, () -> tools);
    }

    /** Works like {@link #of(Script, Toolbox)}; requests the tools only if the text of the script is a call. */
    public static Tier of(Script script, Supplier<Toolbox> tools) {
        return DirectCallMatcher.of(script)
                .flatMap(found -> found.resolveCall(ToolNameLookup.of(tools.get())))
                .map(DirectCall::tier)
                .orElse(SANDBOX);
    }
}
