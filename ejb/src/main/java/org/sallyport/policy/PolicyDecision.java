package org.sallyport.policy;

import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;

/** Decision of a policy about one call. */
public sealed interface PolicyDecision {

    /** Returns the rule that decided. */
    String rule();

    /**
     * The call is allowed.
     *
     * @param approverCanConfirm whether a person is asked for the outcome of the call when a crash leaves it unknown
     */
    record AllowDecision(String rule, boolean approverCanConfirm) implements PolicyDecision {
        public AllowDecision(String rule) {
            this(rule, false);
        }
    }

    /**
     * The call is denied.
     *
     * @param reason reason for the author of the script
     */
    record DenyDecision(String rule, String reason) implements PolicyDecision {
        /** Returns the error of a call that a rule denies, with the rule for programs. */
        public static ToolError toToolError(String rule, String reason) {
            return new ToolError(
                    ToolErrorCode.DENIED, reason + " (rule " + rule + ")", Optional.of(Json.member("rule", rule)));
        }
    }

    /**
     * The call requires an approval.
     *
     * @param terms terms of the approval
     * @param approverCanConfirm see {@link AllowDecision}
     */
    record AskDecision(String rule, ApprovalTerms terms, boolean approverCanConfirm) implements PolicyDecision {}

    /**
     * The call is not made and is answered with a value.
     *
     * @param value the answer
     */
    record MockDecision(String rule, Json value) implements PolicyDecision {}
}
