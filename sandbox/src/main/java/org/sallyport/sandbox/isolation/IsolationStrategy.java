package org.sallyport.sandbox.isolation;

import java.util.List;
import java.util.Set;

/** One way to keep a process apart. */
interface IsolationStrategy {
    /** What it provides where it works. */
    Set<IsolationFeature> features();

    /** The command that runs {@code command} inside. Killing its process kills all inside at once. */
    List<String> wrapCommand(WorkerIsolationSpec cell, List<String> command);
}
