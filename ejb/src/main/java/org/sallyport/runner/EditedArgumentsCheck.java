package org.sallyport.runner;

import java.util.Optional;
import org.sallyport.approval.Approval;
import org.sallyport.bridge.ToolCallAuthorizer.AuthorizationDecision;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.tool.ToolError;

/** Checks calls whose arguments an approver edited. */
final class EditedArgumentsCheck {
    private EditedArgumentsCheck() {}

    /**
     * Returns why a call may not be made with its edited arguments; empty when it may. The schema and policy rules
     * apply, and a rule that requires approval must be the rule that requested this one, with no more approvals
     * required.
     *
     * @param verdict the decision on the call with the edited arguments
     */
    static Optional<ToolError> findViolation(Approval approval, AuthorizationDecision verdict) {
        if (verdict instanceof AuthorizationDecision.CallDenied refuse) {
            return Optional.of(refuse.error());
        } else if (verdict instanceof AuthorizationDecision.CallMockedByPolicy mock) {
            return denied("the policy answers the call with the edited arguments without making it", mock.rule());
        } else if (verdict instanceof AuthorizationDecision.CallNeedsApproval ask
                && (!ask.rule().equals(approval.request().rule())
                        || ask.terms().requiredApprovals()
                                > approval.request().terms().requiredApprovals())) {
            return denied("the policy requires another approval for the edited arguments", ask.rule());
        }
        return Optional.empty();
    }

    private static Optional<ToolError> denied(String why, String rule) {
        return Optional.of(PolicyDecision.DenyDecision.toToolError(rule, why));
    }
}
