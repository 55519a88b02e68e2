package org.sallyport.logging;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** In which distributed trace an execution runs, for the last that this server has begun. Safe for use by several threads. */
public final class Traces {
    /** More than run at one time; an entry is some two hundred bytes. */
    private static final int MAX_ENTRIES = 10_000;

    private static final Map<String, String> TRACE_BY_EXECUTION = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > MAX_ENTRIES;
        }
    };

    private Traces() {}

    /** Found by its name: the application tells it when it begins an execution that is in a trace. */
    public static void begun(String execution, String trace) {
        synchronized (TRACE_BY_EXECUTION) {
            TRACE_BY_EXECUTION.put(execution, trace);
        }
    }

    static Optional<String> of(String execution) {
        synchronized (TRACE_BY_EXECUTION) {
            return Optional.ofNullable(TRACE_BY_EXECUTION.get(execution));
        }
    }
}
