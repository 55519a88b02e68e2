package org.sallyport.submission;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.sallyport.auth.Caller;
import org.sallyport.cache.BoundedCaches;
import org.sallyport.script.SavedScript;

/**
 * Finds the saved scripts that the items of one batch name. Reads a script that many items name only once. Not
 * thread-safe.
 */
final class BatchScriptLookup {
    /** Scripts may be large, and a batch may name thousands of them. */
    private static final int MAX_CACHED = 32;

    private static final long MAX_CACHED_BYTES = 8L << 20;

    private final SavedScriptRunService runs;
    private final Caller caller;
    private final Map<String, Optional<SavedScript>> found = BoundedCaches.ofBytes(
            MAX_CACHED,
            MAX_CACHED_BYTES,
            (name, script) -> BoundedCaches.textBytes(
                    script.map(saved -> saved.code().length()).orElse(0)));

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
