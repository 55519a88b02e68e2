package org.sallyport.logging;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** In which distributed trace an execution runs, for the last that this server has begun. Safe for use by several threads. */
public final class Traces {
    /** More than run at one time; an entry is some two hundred bytes. */
    private static final int MOST = 10_000;

    private static final Map<String, String> LAST = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > MOST;
        }
    };

    private Traces() {}

    /** Found by its name: the application tells it when it begins an execution that is in a trace. */
    public static void begun(String execution, String trace) {
        synchronized (LAST) {
            LAST.put(execution, trace);
        }
    }

    static Optional<String> of(String execution) {
        synchronized (LAST) {
            return Optional.ofNullable(LAST.get(execution));
        }
    }
}
