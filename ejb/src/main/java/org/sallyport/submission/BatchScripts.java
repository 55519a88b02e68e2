package org.sallyport.submission;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.sallyport.access.Caller;
import org.sallyport.script.KeptScript;

/** The kept scripts that the items of one batch name: ten thousand of one name are one look. Not thread-safe. */
final class BatchScripts {
    /** Scripts may be large, and a batch may name thousands. */
    private static final int REMEMBERED = 32;

    private final ScriptRuns runs;
    private final Caller caller;
    private final Map<String, Optional<KeptScript>> found = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Optional<KeptScript>> eldest) {
            return size() > REMEMBERED;
        }
    };

    BatchScripts(ScriptRuns runs, Caller caller) {
        this.runs = runs;
        this.caller = caller;
    }

    /** As {@link ScriptRuns#made}. */
    <T> T made(ScriptCall call, Function<Receipt, T> refused, Function<Submission, T> then) {
        return ScriptRuns.made(
                call, found.computeIfAbsent(call.name(), name -> runs.find(caller, name)), refused, then);
    }
}
