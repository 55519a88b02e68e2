package org.sallyport.bench.measure;

/** What a loop does again and again, from several threads. */
@FunctionalInterface
public interface TimedOperation {
    /**
     * Does it once and checks what comes out.
     *
     * @param number from 0, never the same twice in one loop
     * @return how long it took, in nanoseconds, without the checks
     */
    long runOnce(long number) throws Exception;
}
