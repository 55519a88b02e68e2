package org.sallyport.policy;

/** Provides the policy that is in force for a tenant. Thread-safe. */
@FunctionalInterface
public interface PolicyProvider {
    /** The rule that allows calls that no other rule matches. Traces do not mention it. */
    String DEFAULT_ALLOW = "default/allow";

    /** Returns the policy of {@code tenant}. */
    Policy policyFor(String tenant);
}
