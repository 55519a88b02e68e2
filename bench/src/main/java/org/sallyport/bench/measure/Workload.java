package org.sallyport.bench.measure;

/** A load that measures itself. */
@FunctionalInterface
public interface Workload {
    /** Runs the whole load and checks its results. */
    LoopResult run() throws Exception;
}
