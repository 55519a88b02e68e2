package org.sallyport.sandbox.pool;

import java.util.List;

/**
 * What the operating system keeps from a worker.
 *
 * @param prefix the command that a worker's command is given to
 * @param present means in use
 * @param missing means wanted but not in use here
 */
record Isolation(List<String> prefix, List<String> present, List<String> missing) {
    Isolation {
        prefix = List.copyOf(prefix);
        present = List.copyOf(present);
        missing = List.copyOf(missing);
    }

    static Isolation detect() {
        return new Isolation(
                List.of(),
                List.of("own-process", "no-environment"),
                List.of("no-network", "own-user", "own-processes", "own-ipc", "no-new-privileges", "resource-limits"));
    }
}
