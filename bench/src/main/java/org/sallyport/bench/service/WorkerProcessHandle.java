package org.sallyport.bench.service;

import java.io.IOException;

/**
 * A worker process of a service, seen from outside.
 *
 * @param cpuMillis CPU time that the process has used so far
 */
public record WorkerProcessHandle(long pid, double cpuMillis) {

    /** Stops the process without ending it (SIGSTOP). */
    public void suspend() throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -STOP " + pid)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (kill.waitFor() != 0) {
            throw new IOException("worker " + pid + " cannot be suspended");
        }
    }

    /** Kills the process. Does not wait for its end. */
    public void kill() {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
}
