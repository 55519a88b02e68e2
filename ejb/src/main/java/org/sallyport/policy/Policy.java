package org.sallyport.policy;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.Cost;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/** Judges each call at the bridge. Thread-safe. */
public interface Policy {

    /** What happens to a call of {@code tool} with these arguments. */
    Decision decide(ToolSpec tool, Json arguments, Situation situation);

    /** What a call of {@code tool} with these arguments costs; empty when nobody can tell. */
    default Optional<Cost> cost(ToolSpec tool, Json arguments) {
        return Optional.of(Cost.ZERO);
    }

    /** How much calls may cost together. */
    default List<Budget> budgets() {
        return List.of();
    }

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
