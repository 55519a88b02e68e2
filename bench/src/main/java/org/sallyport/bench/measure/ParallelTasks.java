package org.sallyport.bench.measure;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs tasks in parallel, each on its own thread. */
final class ParallelTasks {
    private ParallelTasks() {}

    /** Waits for all tasks. The first failure interrupts the other tasks and is thrown. */
    static void runAll(List<Callable<Void>> lanes) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(lanes.size());
        try {
            CompletionService<Void> ended = new ExecutorCompletionService<>(threads);
            lanes.forEach(ended::submit);
            for (int i = 0; i < lanes.size(); i++) {
                ended.take().get();
            }
        } catch (ExecutionException e) {
            throw unwrap(e);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns the cause of the failure; throws it if it is an {@link Error}. */
    static Exception unwrap(ExecutionException e) {
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        return e.getCause() instanceof Exception exception ? exception : e;
    }
}
