package org.sallyport.it.chaos;

/**
 * One submission.
 *
 * @param key its idempotency key, and the beginning of the names of its effects
 * @param number what its result is computed from
 */
record ChaosSubmission(ChaosScript script, String key, int number) {}
