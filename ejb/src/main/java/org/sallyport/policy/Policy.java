package org.sallyport.policy;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.Cost;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/** Decides each tool call. Thread-safe. */
public interface Policy {

    /** Returns the decision for a call of {@code tool} with these arguments. */
    PolicyDecision decide(ToolSpec tool, Json arguments, PolicyContext situation);

    /** Returns the cost of a call of {@code tool} with these arguments. Empty when the cost cannot be determined. */
    default Optional<Cost> cost(ToolSpec tool, Json arguments) {
        return Optional.of(Cost.ZERO);
    }

    /** Returns the budgets of the policy. */
    default List<Budget> budgets() {
        return List.of();
    }

    /** Returns the types of personal data that are redacted in output, results and traces. */
    default Set<PersonalDataType> hiddenDataTypes() {
        return Set.of();
    }

    /** Returns the policy of a fresh installation: destructive tools require an approval. */
    static Policy defaultPolicy() {
        PolicyDecision allow = new PolicyDecision.AllowDecision(PolicyProvider.DEFAULT_ALLOW);
        return (tool, arguments, situation) -> tool.hints().destructive()
                ? new PolicyDecision.AskDecision(
                        "default/ask-destructive",
                        new ApprovalTerms(
                                1,
                                ApprovalTerms.DEFAULT_TIMEOUT,
                                ApprovalTerms.ExpiryAction.DENY,
                                "'" + tool.name() + "' is destructive: its effect cannot be undone"),
                        false)
                : allow;
    }
}
