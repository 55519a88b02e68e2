package org.sallyport.sandbox.pool;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;

/**
 * Caches recent check results per tenant, so that a tenant learns nothing about the scripts of other tenants. Bounded:
 * at most 2,000 entries and 8,000,000 characters of code. Thread-safe.
 */
final class ScriptCheckCache {
    private static final int MAX_ENTRIES = 2_000;
    private static final long MAX_CHARS = 8_000_000;

    private record ScriptCheckKey(String tenant, Script script) {}

    private final Map<ScriptCheckKey, CompletableFuture<ScriptCheckResult>> resultByKey =
            new LinkedHashMap<>(64, 0.75f, true);
    private long chars;

    /** Returns the cached result, or the result of {@code reading}. */
    CompletionStage<ScriptCheckResult> getOrCheck(
            String tenant, Script script, Supplier<CompletableFuture<ScriptCheckResult>> reading) {
        ScriptCheckKey key = new ScriptCheckKey(tenant, script);
        synchronized (this) {
            CompletableFuture<ScriptCheckResult> present = resultByKey.get(key);
            if (present != null) {
                return present.minimalCompletionStage();
            }
        }
        CompletableFuture<ScriptCheckResult> read = reading.get();
        var unused = read.thenAccept(verdict -> store(key, read, verdict));
        return read.minimalCompletionStage();
    }

    private synchronized void store(
            ScriptCheckKey key, CompletableFuture<ScriptCheckResult> read, ScriptCheckResult verdict) {
        // A rejection without a position may come from a worker that failed; the next check may succeed.
        if (verdict instanceof ScriptCheckResult.ScriptRejected rejected && rejected.line() == 0) {
            return;
        }
        if (resultByKey.put(key, read) == null) {
            chars += key.script().code().length();
        }
        var eldest = resultByKey.keySet().iterator();
        while (resultByKey.size() > 1 && (resultByKey.size() > MAX_ENTRIES || chars > MAX_CHARS)) {
            chars -= eldest.next().script().code().length();
            eldest.remove();
        }
    }
}
