package org.sallyport.runner;

import java.util.Optional;
import org.sallyport.approval.Approval;
import org.sallyport.bridge.ToolCallAuthorizer.AuthorizationDecision;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.tool.ToolError;

/** Calls whose arguments a person changed. */
final class EditedArgumentsCheck {
    private EditedArgumentsCheck() {}

    /**
     * Why a call may not be made as it was changed: schema and rules hold, and a rule that asks must be the one that asked.
     *
     * @param verdict on the call with its new arguments
     */
    static Optional<ToolError> findViolation(Approval approval, AuthorizationDecision verdict) {
        if (verdict instanceof AuthorizationDecision.CallDenied refuse) {
            return Optional.of(refuse.error());
        } else if (verdict instanceof AuthorizationDecision.CallMockedByPolicy mock) {
            return denied("with the changed arguments the call is not made at all", mock.rule());
        } else if (verdict instanceof AuthorizationDecision.CallNeedsApproval ask
                && (!ask.rule().equals(approval.request().rule())
                        || ask.terms().requiredApprovals()
                                > approval.request().terms().requiredApprovals())) {
            return denied("the changed arguments need an approval of their own", ask.rule());
        }
        return Optional.empty();
    }

    private static Optional<ToolError> denied(String why, String rule) {
        return Optional.of(PolicyDecision.DenyDecision.toToolError(rule, why));
    }
}
