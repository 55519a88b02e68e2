package org.sallyport.bench.service;

/**
 * What the processes of a service have used and hold.
 *
 * @param cpuMillis computing time of all of them since they began, those that have ended included
 * @param serverBytes resident memory of the server process
 * @param workers worker processes
 * @param largestWorkerBytes resident memory of the largest worker
 * @param allWorkersBytes resident memory of all workers; what they share counts for each
 * @param threads threads of the server and its workers
 */
public record ServiceResourceUsage(
        double cpuMillis, long serverBytes, int workers, long largestWorkerBytes, long allWorkersBytes, long threads) {}
