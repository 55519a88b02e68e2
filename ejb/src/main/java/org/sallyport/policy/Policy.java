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
    PolicyDecision decide(ToolSpec tool, Json arguments, PolicyContext situation);

    /** What a call of {@code tool} with these arguments costs; empty when nobody can tell. */
    default Optional<Cost> cost(ToolSpec tool, Json arguments) {
        return Optional.of(Cost.ZERO);
    }

    /** How much calls may cost together. */
    default List<Budget> budgets() {
        return List.of();
    }

    /** What kinds of personal data are hidden where output, results and traces are shown. */
    default Set<PersonalDataType> hiddenDataTypes() {
        return Set.of();
    }

    /** The rules of a fresh installation: what destroys or sends something needs a person. */
    static Policy defaultPolicy() {
        PolicyDecision allow = new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        return (tool, arguments, situation) -> tool.hints().destructive()
                ? new PolicyDecision.AskDecision(
                        "default/ask-destructive",
                        new ApprovalTerms(
                                1,
                                ApprovalTerms.DEFAULT_TIMEOUT,
                                ApprovalTerms.ExpiryAction.DENY,
                                "'" + tool.name() + "' is destructive: what it does cannot be taken back"),
                        false)
                : allow;
    }
}
