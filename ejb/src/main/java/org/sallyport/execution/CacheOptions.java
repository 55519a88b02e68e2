package org.sallyport.execution;

import java.time.Duration;
import java.util.Optional;

/**
 * How an execution uses saved scripts, cached results and shared reads.
 *
 * @param saveAs the name under which its script is saved after it completes, or {@link #GENERATED_NAME}
 * @param savedScriptName the name of the saved script that it runs, if any
 * @param maxAge the maximum age of a cached result that may replace the run; empty when none may
 * @param resultKey the key that equal executions share in the result cache; only with {@code maxAge}
 * @param cachedFrom the execution whose cached result it received instead of running, if any
 * @param sharesReads whether it shares the results of read-only calls with the executions of its batch
 */
public record CacheOptions(
        Optional<String> saveAs,
        Optional<String> savedScriptName,
        Optional<Duration> maxAge,
        Optional<String> resultKey,
        Optional<ExecutionId> cachedFrom,
        boolean sharesReads) {
    /** The service generates a name. */
    public static final String GENERATED_NAME = "auto";

    public static final CacheOptions NONE = new CacheOptions(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);

    /** Returns a copy whose script is saved under {@code name}. */
    public CacheOptions withSaveAs(Optional<String> name) {
        return new CacheOptions(name, savedScriptName, maxAge, resultKey, cachedFrom, sharesReads);
    }

    /** Returns a copy that runs the saved script {@code name}. */
    public CacheOptions withSavedScript(String name) {
        return new CacheOptions(saveAs, Optional.of(name), maxAge, resultKey, cachedFrom, sharesReads);
    }

    /** Returns a copy that accepts cached results up to that age. */
    public CacheOptions withMaxAge(Optional<Duration> age) {
        return new CacheOptions(saveAs, savedScriptName, age, resultKey, cachedFrom, sharesReads);
    }

    public CacheOptions withResultKey(String key) {
        return new CacheOptions(saveAs, savedScriptName, maxAge, Optional.of(key), cachedFrom, sharesReads);
    }

    /**
     * Returns a copy with the result of {@code first} and without a result key, so that it does not serve as a cached
     * result itself.
     */
    public CacheOptions withCachedFrom(ExecutionId first) {
        return new CacheOptions(saveAs, savedScriptName, maxAge, Optional.empty(), Optional.of(first), sharesReads);
    }

    /** Returns a copy with shared reads within its batch turned on or off. */
    public CacheOptions withSharedReads(boolean shares) {
        return new CacheOptions(saveAs, savedScriptName, maxAge, resultKey, cachedFrom, shares);
    }
}
