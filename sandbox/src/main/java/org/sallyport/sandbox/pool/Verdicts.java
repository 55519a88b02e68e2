package org.sallyport.sandbox.pool;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.Script;

/**
 * Verdicts on scripts that were read lately, by tenant: one tenant learns nothing of what another submitted. Bounded.
 * Thread-safe.
 */
final class Verdicts {
    private static final int MAX = 2_000;
    private static final long MAX_CHARS = 8_000_000;

    private record Key(String tenant, Script script) {}

    private final Map<Key, CompletableFuture<Preparation>> known = new LinkedHashMap<>(64, 0.75f, true);
    private long chars;

    /** The verdict known, or the one that {@code reading} comes to. */
    CompletionStage<Preparation> of(String tenant, Script script, Supplier<CompletableFuture<Preparation>> reading) {
        Key key = new Key(tenant, script);
        synchronized (this) {
            CompletableFuture<Preparation> present = known.get(key);
            if (present != null) {
                return present.minimalCompletionStage();
            }
        }
        CompletableFuture<Preparation> read = reading.get();
        var unused = read.thenAccept(verdict -> keep(key, read, verdict));
        return read.minimalCompletionStage();
    }

    private synchronized void keep(Key key, CompletableFuture<Preparation> read, Preparation verdict) {
        // A rejection without a place may come from a reader that failed: the next try may know better.
        if (verdict instanceof Preparation.Rejected rejected && rejected.line() == 0) {
            return;
        }
        if (known.put(key, read) == null) {
            chars += key.script().code().length();
        }
        var eldest = known.keySet().iterator();
        while (known.size() > 1 && (known.size() > MAX || chars > MAX_CHARS)) {
            chars -= eldest.next().script().code().length();
            eldest.remove();
        }
    }
}
