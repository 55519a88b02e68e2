package org.sallyport.sandbox.isolation;

import java.util.List;
import java.util.Set;

/** One way to isolate a process. */
interface IsolationStrategy {
    /** Returns the features that it provides where it works. */
    Set<IsolationFeature> features();

    /**
     * Returns the command that runs {@code command} in isolation. Killing its process kills all processes inside at
     * once.
     */
    List<String> wrapCommand(WorkerIsolationSpec cell, List<String> command);
}
