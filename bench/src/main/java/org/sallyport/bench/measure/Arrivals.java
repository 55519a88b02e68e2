package org.sallyport.bench.measure;

import java.util.concurrent.CompletableFuture;

/**
 * What an open loop begins again and again without waiting for its end. Thread-safe.
 *
 * @param <A> what comes out
 */
public interface Arrivals<A> {
    /**
     * Begins one.
     *
     * @param number from 0, never the same twice in one loop
     */
    CompletableFuture<A> begin(long number);

    /** Checks what came out of one; that is no part of its time. */
    void take(long number, A answer) throws WrongResultException;
}
