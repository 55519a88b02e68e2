package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.List;

/**
 * What isolation is detected for.
 *
 * @param root whether the server is root
 * @param javaHome the JDK that workers run on
 * @param memoryBytes writable memory that a worker may have in all
 * @param cell a cell like those of workers, for trials
 * @param rehearsal a command that reads, loads and connects as a worker does, and ends
 */
public record Surroundings(boolean root, Path javaHome, long memoryBytes, Cell cell, List<String> rehearsal) {
    public Surroundings {
        rehearsal = List.copyOf(rehearsal);
    }
}
