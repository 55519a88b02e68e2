package org.sallyport.bench.measure;

/** An operation that a loop runs repeatedly, from several threads. */
@FunctionalInterface
public interface TimedOperation {
    /**
     * Runs the operation once and checks its result.
     *
     * @param number from 0, unique within one loop
     * @return the duration in nanoseconds, without the checks
     */
    long runOnce(long number) throws Exception;
}
