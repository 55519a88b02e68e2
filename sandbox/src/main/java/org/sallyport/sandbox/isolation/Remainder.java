package org.sallyport.sandbox.isolation;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * The last way: what works alone, one inside the other. The file system stays the host's.
 *
 * @param parts outermost first
 */
record Remainder(List<Part> parts) implements Enclosure {
    Remainder {
        parts = List.copyOf(parts);
    }

    /** One program with its arguments, and what it provides. */
    record Part(Set<Means> provides, BiFunction<Cell, List<String>, List<String>> wrap) {}

    @Override
    public Set<Means> means() {
        Set<Means> all = EnumSet.noneOf(Means.class);
        parts.forEach(part -> all.addAll(part.provides()));
        return all;
    }

    @Override
    public List<String> around(Cell cell, List<String> command) {
        List<String> wrapped = command;
        for (int i = parts.size() - 1; i >= 0; i--) {
            wrapped = parts.get(i).wrap().apply(cell, wrapped);
        }
        return wrapped;
    }
}
