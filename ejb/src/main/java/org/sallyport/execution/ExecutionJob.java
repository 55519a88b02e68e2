package org.sallyport.execution;

/**
 * An accepted execution that waits for a runner: what a job message says.
 *
 * @param id the execution
 * @param tenant whose it is
 * @param priority 0 to 9
 * @param attempt claims so far
 */
public record ExecutionJob(ExecutionId id, String tenant, int priority, int attempt) {}
