package org.sallyport.logging;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Trace ids of the executions that this server started last. Thread-safe. */
public final class TraceIdRegistry {
    /** More than run at the same time; an entry takes about two hundred bytes. */
    private static final int MAX_ENTRIES = 10_000;

    private static final Map<String, String> TRACE_BY_EXECUTION = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > MAX_ENTRIES;
        }
    };

    private TraceIdRegistry() {}

    /** Called by name from the application when it starts an execution that belongs to a trace. */
    public static void executionStarted(String execution, String trace) {
        synchronized (TRACE_BY_EXECUTION) {
            TRACE_BY_EXECUTION.put(execution, trace);
        }
    }

    static Optional<String> find(String execution) {
        synchronized (TRACE_BY_EXECUTION) {
            return Optional.ofNullable(TRACE_BY_EXECUTION.get(execution));
        }
    }
}
