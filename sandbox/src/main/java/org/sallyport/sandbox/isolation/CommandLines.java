package org.sallyport.sandbox.isolation;

import java.util.ArrayList;
import java.util.List;

/** Builds command lines from parts. */
final class CommandLines {
    private CommandLines() {}

    @SafeVarargs
    static List<String> concat(List<String>... parts) {
        List<String> all = new ArrayList<>();
        for (List<String> part : parts) {
            all.addAll(part);
        }
        return List.copyOf(all);
    }
}
