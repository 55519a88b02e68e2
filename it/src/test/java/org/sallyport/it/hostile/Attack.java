package org.sallyport.it.hostile;

/** Does one hostile thing. */
@FunctionalInterface
interface Attack {
    /** Does it and waits until it is over; {@link AssertionError} when what a caller sees is wrong by itself. */
    AttackResult execute(SecurityTestServer arena);
}
