package org.sallyport.execution;

/**
 * An accepted execution that waits for a runner: the content of a job message.
 *
 * @param id the execution
 * @param tenant the owning tenant
 * @param priority 0 to 9
 * @param attempt claims so far
 */
public record ExecutionJob(ExecutionId id, String tenant, int priority, int attempt) {}
