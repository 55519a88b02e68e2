package org.sallyport.bench.service;

import java.io.IOException;

/**
 * A worker of a service, from outside.
 *
 * @param cpuMillis computing time it has used so far
 */
public record WorkerProcessHandle(long pid, double cpuMillis) {

    /** Lets it do nothing more, as if the machine had forgotten it. */
    public void suspend() throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -STOP " + pid)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (kill.waitFor() != 0) {
            throw new IOException("worker " + pid + " cannot be held");
        }
    }

    /** Ends it without a word. */
    public void kill() {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
}
