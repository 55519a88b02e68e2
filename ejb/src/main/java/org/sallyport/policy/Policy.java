package org.sallyport.policy;

import java.util.Set;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/** Judges each call at the bridge. Thread-safe. */
public interface Policy {

    /** What happens to a call of {@code tool} with these arguments. */
    Decision decide(ToolSpec tool, Json arguments, Situation situation);

    /** What kinds of personal data are hidden where output, results and traces are shown. */
    default Set<PersonalKind> hidden() {
        return Set.of();
    }

    /** The rules of a fresh installation: what destroys or sends something needs a person. */
    static Policy standard() {
        Decision allow = new Decision.Allow(Policies.DEFAULT_ALLOW);
        return (tool, arguments, situation) -> tool.hints().destructive()
                ? new Decision.Ask(
                        "default/ask-destructive",
                        new Terms(
                                1,
                                Terms.PATIENCE,
                                Terms.AtExpiry.DENY,
                                "'" + tool.name() + "' is destructive: what it does cannot be taken back"),
                        false)
                : allow;
    }
}
