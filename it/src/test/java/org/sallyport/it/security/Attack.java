package org.sallyport.it.security;

/** One attack on a running service. */
@FunctionalInterface
interface Attack {
    /** Runs the attack and waits until it is over. Throws {@link AssertionError} if a response is wrong by itself. */
    AttackResult execute(SecurityTestServer arena);
}
