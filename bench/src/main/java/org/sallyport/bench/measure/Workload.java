package org.sallyport.bench.measure;

/** A stretch of work that measures itself. */
@FunctionalInterface
public interface Workload {
    /** Does all of it and checks what comes out. */
    LoopResult run() throws Exception;
}
