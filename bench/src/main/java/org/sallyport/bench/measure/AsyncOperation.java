package org.sallyport.bench.measure;

import java.util.concurrent.CompletableFuture;

/**
 * What an open loop begins again and again without waiting for its end. Thread-safe.
 *
 * @param <A> what comes out
 */
public interface AsyncOperation<A> {
    /**
     * Begins one.
     *
     * @param number from 0, never the same twice in one loop
     */
    CompletableFuture<A> start(long number);

    /** Checks what came out of one; that is no part of its time. */
    void checkResult(long number, A answer) throws WrongResultException;
}
