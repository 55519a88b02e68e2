package org.sallyport.sandbox.isolation;

import java.util.List;
import java.util.Set;

/** One way to keep a process apart. */
interface Enclosure {
    /** What it provides where it works. */
    Set<Means> means();

    /** The command that runs {@code command} inside. Killing its process kills all inside at once. */
    List<String> around(Cell cell, List<String> command);
}
