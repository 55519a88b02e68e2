package org.sallyport.bench.measure;

import java.util.concurrent.CompletableFuture;

/**
 * An operation that an open loop starts repeatedly without waiting for its end. Thread-safe.
 *
 * @param <A> the result of the operation
 */
public interface AsyncOperation<A> {
    /**
     * Starts one operation.
     *
     * @param number from 0, unique within one loop
     */
    CompletableFuture<A> start(long number);

    /** Checks the result of one operation. The check is not part of the measured latency. */
    void checkResult(long number, A answer) throws WrongResultException;
}
