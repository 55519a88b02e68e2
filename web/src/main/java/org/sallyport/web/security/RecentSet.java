package org.sallyport.web.security;

import java.util.LinkedHashMap;
import java.util.Map;

/** A set of strings of bounded size, which drops its oldest entry when it is full. Thread-safe. */
final class RecentSet {
    private final Map<String, Boolean> entries;

    RecentSet(int max) {
        entries = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                return size() > max;
            }
        };
    }

    synchronized void add(String entry) {
        // Removed first, so that it becomes the newest entry.
        entries.remove(entry);
        entries.put(entry, true);
    }

    synchronized boolean contains(String entry) {
        return entries.containsKey(entry);
    }
}
