package org.sallyport.execution;

/**
 * How far an execution is: what changes while it runs, and nothing else.
 *
 * @param state its state
 * @param attempt how often a runner has claimed it
 * @param lastSeq sequence number of the last trace event that is stored, 0 when none
 * @param outputLength characters written to stdout so far
 * @param errorOutputLength characters written to stderr so far
 */
public record ExecutionVersion(
        ExecutionState state, int attempt, long lastSeq, long outputLength, long errorOutputLength) {}
