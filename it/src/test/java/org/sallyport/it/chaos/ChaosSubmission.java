package org.sallyport.it.chaos;

/**
 * One submission.
 *
 * @param key its idempotency key, which is also the prefix of the names of its effects
 * @param number input from which the script computes its result
 */
record ChaosSubmission(ChaosScript script, String key, int number) {}
