package org.sallyport.bench.measure;

/** A stretch of work that measures itself. */
@FunctionalInterface
public interface Load {
    /** Does all of it and checks what comes out. */
    Measured run() throws Exception;
}
