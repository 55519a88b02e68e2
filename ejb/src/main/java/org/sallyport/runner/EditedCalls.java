package org.sallyport.runner;

import java.util.Optional;
import org.sallyport.approval.Approval;
import org.sallyport.bridge.CallGate.Verdict;
import org.sallyport.policy.Decision;
import org.sallyport.tool.ToolError;

/** Calls whose arguments a person changed. */
final class EditedCalls {
    private EditedCalls() {}

    /**
     * Why a call may not be made as it was changed: schema and rules hold, and a rule that asks must be the one that asked.
     *
     * @param verdict on the call with its new arguments
     */
    static Optional<ToolError> fault(Approval approval, Verdict verdict) {
        if (verdict instanceof Verdict.Refuse refuse) {
            return Optional.of(refuse.error());
        } else if (verdict instanceof Verdict.Mock mock) {
            return denied("with the changed arguments the call is not made at all", mock.rule());
        } else if (verdict instanceof Verdict.Ask ask
                && (!ask.rule().equals(approval.question().rule())
                        || ask.terms().approvers() > approval.question().terms().approvers())) {
            return denied("the changed arguments need an approval of their own", ask.rule());
        }
        return Optional.empty();
    }

    private static Optional<ToolError> denied(String why, String rule) {
        return Optional.of(Decision.Deny.error(rule, why));
    }
}
