package org.sallyport.bench.service;

/**
 * Resources that the processes of a service have used and hold.
 *
 * @param cpuMillis CPU time of all processes since their start, including processes that have ended
 * @param serverBytes resident memory of the server process
 * @param workers number of worker processes
 * @param largestWorkerBytes resident memory of the largest worker
 * @param allWorkersBytes resident memory of all workers; shared memory counts for each worker
 * @param threads number of threads of the server and its workers
 */
public record ServiceResourceUsage(
        double cpuMillis, long serverBytes, int workers, long largestWorkerBytes, long allWorkersBytes, long threads) {}
