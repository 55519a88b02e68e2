package org.sallyport.policy;

/** Which policy a tenant's calls are judged by now. Thread-safe. */
@FunctionalInterface
public interface PolicyProvider {
    /** The rule that lets through what no other rule speaks of; not worth a word in a trace. */
    String DEFAULT_ALLOW = "default/allow";

    /** The policy of {@code tenant}. */
    Policy policyFor(String tenant);
}
