package org.sallyport.execution;

import java.time.Duration;
import java.util.Optional;

/**
 * What an execution takes over of what ran before it, and leaves to what runs after it.
 *
 * @param saveAs the name under which its script is kept once it has completed, or {@link #GENERATED_NAME}
 * @param savedScriptName the name of the kept script that it runs, if it runs one
 * @param maxAge how old an answer to the same question may be that is given in place of a run, if one may be at all
 * @param resultKey what others are the same question by; only with {@code maxAge}
 * @param cachedFrom the execution whose answer it is given in place of a run, if it is
 * @param sharesReads whether it takes what others of its batch read, and leaves them what it reads
 */
public record CacheOptions(
        Optional<String> saveAs,
        Optional<String> savedScriptName,
        Optional<Duration> maxAge,
        Optional<String> resultKey,
        Optional<ExecutionId> cachedFrom,
        boolean sharesReads) {
    /** A name is to be made. */
    public static final String GENERATED_NAME = "auto";

    public static final CacheOptions NONE = new CacheOptions(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);

    /** The same, its script being kept under {@code name}. */
    public CacheOptions withSaveAs(Optional<String> name) {
        return new CacheOptions(name, savedScriptName, maxAge, resultKey, cachedFrom, sharesReads);
    }

    /** The same, running a script that was kept under {@code name}. */
    public CacheOptions withSavedScript(String name) {
        return new CacheOptions(saveAs, Optional.of(name), maxAge, resultKey, cachedFrom, sharesReads);
    }

    /** The same, content with an answer that is no older. */
    public CacheOptions withMaxAge(Optional<Duration> age) {
        return new CacheOptions(saveAs, savedScriptName, age, resultKey, cachedFrom, sharesReads);
    }

    /** The same, known by {@code key}. */
    public CacheOptions withResultKey(String key) {
        return new CacheOptions(saveAs, savedScriptName, maxAge, Optional.of(key), cachedFrom, sharesReads);
    }

    /** The same, given the answer of {@code first}; nobody is given its own. */
    public CacheOptions withCachedFrom(ExecutionId first) {
        return new CacheOptions(saveAs, savedScriptName, maxAge, Optional.empty(), Optional.of(first), sharesReads);
    }

    /** The same, sharing what is read with its batch or not. */
    public CacheOptions withSharedReads(boolean shares) {
        return new CacheOptions(saveAs, savedScriptName, maxAge, resultKey, cachedFrom, shares);
    }
}
