package org.sallyport.it.chaos;

/**
 * One submission.
 *
 * @param key its idempotency key, and the beginning of the names of its effects
 * @param n what its result is computed from
 */
record Job(Kind kind, String key, int n) {}
