package org.sallyport.execution;

/**
 * The values of an execution that change while it runs.
 *
 * @param state its state
 * @param attempt how often a runner has claimed it
 * @param lastSeq sequence number of the last stored trace event, 0 when none
 * @param outputLength characters written to stdout so far
 * @param errorOutputLength characters written to stderr so far
 */
public record ExecutionVersion(
        ExecutionState state, int attempt, long lastSeq, long outputLength, long errorOutputLength) {}
