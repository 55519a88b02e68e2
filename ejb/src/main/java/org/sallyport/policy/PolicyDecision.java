package org.sallyport.policy;

import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;

/** What a policy says of one call. */
public sealed interface PolicyDecision {

    /** The rule that decided. */
    String rule();

    /**
     * The call may go on.
     *
     * @param approverCanConfirm whether a person is asked what became of the call when a crash leaves that unknown
     */
    record AllowDecision(String rule, boolean approverCanConfirm) implements PolicyDecision {
        public AllowDecision(String rule) {
            this(rule, false);
        }
    }

    /**
     * The call may not go on.
     *
     * @param reason words for the author
     */
    record DenyDecision(String rule, String reason) implements PolicyDecision {
        /** How a call is refused because of a rule, which is for programs, too. */
        public static ToolError toToolError(String rule, String reason) {
            return new ToolError(
                    ToolErrorCode.DENIED, reason + " (rule " + rule + ")", Optional.of(Json.member("rule", rule)));
        }
    }

    /**
     * The call may go on when a person says so.
     *
     * @param terms how that is asked
     * @param approverCanConfirm as for {@link AllowDecision}
     */
    record AskDecision(String rule, ApprovalTerms terms, boolean approverCanConfirm) implements PolicyDecision {}

    /**
     * The call is not made; it is answered with a value.
     *
     * @param value the answer
     */
    record MockDecision(String rule, Json value) implements PolicyDecision {}
}
