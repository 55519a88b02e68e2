package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.util.List;

/**
 * What one worker needs of the outside.
 *
 * @param number tells workers of one server apart
 * @param directory an empty directory, its working directory
 * @param door the socket it comes to
 * @param network whether it keeps the host's network, for a debugger to come to
 * @param readable directories it reads: class files, native libraries
 */
public record Cell(long number, Path directory, Path door, boolean network, List<Path> readable) {
    public Cell {
        readable = List.copyOf(readable);
    }
}
