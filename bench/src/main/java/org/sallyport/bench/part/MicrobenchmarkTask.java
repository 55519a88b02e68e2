package org.sallyport.bench.part;

import org.sallyport.bench.measure.WrongResultException;

/** A piece of work, ready to be done again and again. */
@FunctionalInterface
public interface MicrobenchmarkTask {
    /**
     * Does it once, and checks what comes out.
     *
     * @return what came out, so that the compiler does not eliminate the work as dead code
     */
    Object runOnce() throws WrongResultException;
}
