package org.sallyport.policy;

import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;

/** What a policy says of one call. */
public sealed interface Decision {

    /** The rule that decided. */
    String rule();

    /**
     * The call may go on.
     *
     * @param personKnows whether a person is asked what became of the call when a crash leaves that unknown
     */
    record Allow(String rule, boolean personKnows) implements Decision {
        public Allow(String rule) {
            this(rule, false);
        }
    }

    /**
     * The call may not go on.
     *
     * @param reason words for the author
     */
    record Deny(String rule, String reason) implements Decision {
        /** How a call is refused because of a rule, which is for programs, too. */
        public static ToolError error(String rule, String reason) {
            return new ToolError(
                    ToolErrorCode.DENIED, reason + " (rule " + rule + ")", Optional.of(Json.member("rule", rule)));
        }
    }

    /**
     * The call may go on when a person says so.
     *
     * @param terms how that is asked
     * @param personKnows as for {@link Allow}
     */
    record Ask(String rule, Terms terms, boolean personKnows) implements Decision {}

    /**
     * The call is not made; it is answered with a value.
     *
     * @param value the answer
     */
    record Mock(String rule, Json value) implements Decision {}
}
