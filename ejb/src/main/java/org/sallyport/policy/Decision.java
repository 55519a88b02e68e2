package org.sallyport.policy;

/** What a policy says of one call. */
public sealed interface Decision {

    /** The call may go on. */
    record Allow(String rule) implements Decision {}

    /**
     * The call may not go on.
     *
     * @param rule the rule that decided
     * @param reason words for the author
     */
    record Deny(String rule, String reason) implements Decision {}
}
