package org.sallyport.bench.part;

import org.sallyport.bench.measure.WrongResultException;

/** Prepared work that can run any number of times. */
@FunctionalInterface
public interface MicrobenchmarkTask {
    /**
     * Runs the work once and checks its result.
     *
     * @return the result, so that the compiler does not eliminate the work as dead code
     */
    Object runOnce() throws WrongResultException;
}
