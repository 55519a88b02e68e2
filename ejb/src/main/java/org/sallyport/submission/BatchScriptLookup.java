package org.sallyport.submission;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.sallyport.auth.Caller;
import org.sallyport.script.SavedScript;

/**
 * Finds the saved scripts that the items of one batch name. Reads a script that many items name only once. Not
 * thread-safe.
 */
final class BatchScriptLookup {
    /** Scripts may be large, and a batch may name thousands of them. */
    private static final int MAX_CACHED = 32;

    private final SavedScriptRunService runs;
    private final Caller caller;
    private final Map<String, Optional<SavedScript>> found = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Optional<SavedScript>> eldest) {
            return size() > MAX_CACHED;
        }
    };

    BatchScriptLookup(SavedScriptRunService runs, Caller caller) {
        this.runs = runs;
        this.caller = caller;
    }

    /** Behaves like {@link SavedScriptRunService#resolve}, with the cached script. */
    <T> T resolve(RunSavedScriptRequest call, Function<SubmissionResult, T> refused, Function<Submission, T> then) {
        return SavedScriptRunService.resolve(
                call, found.computeIfAbsent(call.name(), name -> runs.find(caller, name)), refused, then);
    }
}
