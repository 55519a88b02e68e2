package org.sallyport.execution;

import java.time.Duration;
import java.util.Optional;

/**
 * What an execution takes over of what ran before it, and leaves to what runs after it.
 *
 * @param keepAs the name under which its script is kept once it has completed, or {@link #ANY_NAME}
 * @param script the name of the kept script that it runs, if it runs one
 * @param maxAge how old an answer to the same question may be that is given in place of a run, if one may be at all
 * @param resultKey what others are the same question by; only with {@code maxAge}
 * @param cachedFrom the execution whose answer it is given in place of a run, if it is
 * @param sharesReads whether it takes what others of its batch read, and leaves them what it reads
 */
public record Reuse(
        Optional<String> keepAs,
        Optional<String> script,
        Optional<Duration> maxAge,
        Optional<String> resultKey,
        Optional<ExecutionId> cachedFrom,
        boolean sharesReads) {
    /** A name is to be made. */
    public static final String ANY_NAME = "auto";

    public static final Reuse NONE =
            new Reuse(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);

    /** The same, its script being kept under {@code name}. */
    public Reuse keepingAs(Optional<String> name) {
        return new Reuse(name, script, maxAge, resultKey, cachedFrom, sharesReads);
    }

    /** The same, running a script that was kept under {@code name}. */
    public Reuse ofScript(String name) {
        return new Reuse(keepAs, Optional.of(name), maxAge, resultKey, cachedFrom, sharesReads);
    }

    /** The same, content with an answer that is no older. */
    public Reuse within(Optional<Duration> age) {
        return new Reuse(keepAs, script, age, resultKey, cachedFrom, sharesReads);
    }

    /** The same, known by {@code key}. */
    public Reuse keyed(String key) {
        return new Reuse(keepAs, script, maxAge, Optional.of(key), cachedFrom, sharesReads);
    }

    /** The same, given the answer of {@code first}; nobody is given its own. */
    public Reuse answeredBy(ExecutionId first) {
        return new Reuse(keepAs, script, maxAge, Optional.empty(), Optional.of(first), sharesReads);
    }

    /** The same, sharing what is read with its batch or not. */
    public Reuse sharingReads(boolean shares) {
        return new Reuse(keepAs, script, maxAge, resultKey, cachedFrom, shares);
    }
}
