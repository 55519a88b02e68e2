package org.sallyport.submission;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.sallyport.auth.Caller;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.policy.ReadOnlyGrantChecker;

/**
 * Finds the items of one batch that the execution of an equal item can answer: runs of the same capability with the
 * same arguments and options, whose grants reach read-only tools only. Not thread-safe.
 */
final class BatchCoalescing {
    /** Maximum number of different lists of grants that are checked; items with others are not coalesced. */
    private static final int MAX_GRANT_LISTS = 32;

    private final ReadOnlyGrantChecker grantChecker;
    private final Caller caller;
    /** Whether grants reach read-only tools only, by their hash. */
    private final Map<String, Boolean> readOnlyGrants = new HashMap<>();

    private final Map<String, Integer> firstByKey = new HashMap<>();
    /** The first equal item, by the index of each later one. */
    private final Map<Integer, Integer> firstByLater = new HashMap<>();
    /** The items that answer others. */
    private final Set<Integer> shared = new HashSet<>();

    BatchCoalescing(ReadOnlyGrantChecker grantChecker, Caller caller) {
        this.grantChecker = grantChecker;
        this.caller = caller;
    }

    /** A coalescing that finds no equal items. */
    static BatchCoalescing none(Caller caller) {
        return new BatchCoalescing(grants -> false, caller);
    }

    /** Returns the hash that equal items share; empty if the item must run itself. */
    Optional<String> key(Submission submission) {
        return submission.capability().isPresent()
                        && submission.effects() instanceof EffectMode.RealEffects
                        && canOnlyRead(submission)
                ? Optional.of(hash(submission))
                : Optional.empty();
    }

    /** Adds a valid item with a key. The items are added in their order. */
    void add(int index, String key) {
        Integer first = firstByKey.putIfAbsent(key, index);
        if (first != null) {
            firstByLater.put(index, first);
            shared.add(first);
        }
    }

    private boolean canOnlyRead(Submission submission) {
        List<String> grants = SubmissionService.effectiveGrants(caller, submission);
        InputDigest digest = new InputDigest();
        grants.forEach(digest::add);
        String hash = digest.hex();
        Boolean known = readOnlyGrants.get(hash);
        if (known == null) {
            known = readOnlyGrants.size() < MAX_GRANT_LISTS && grantChecker.reachOnlyReadOnlyTools(grants);
            readOnlyGrants.put(hash, known);
        }
        return known;
    }

    private static String hash(Submission submission) {
        InputDigest digest = new InputDigest()
                .add(submission.capability().map(use -> use.ref().toString()).orElse(null))
                .add(submission.args().text())
                .add(submission.context().text())
                .add(submission
                        .grants()
                        .map(grants -> Integer.toString(grants.size()))
                        .orElse(null));
        submission.grants().ifPresent(grants -> grants.forEach(digest::add));
        digest.add(submission.limits().toString())
                .add(Integer.toString(submission.priority()))
                .add(submission.debug().name())
                .add(submission.durability().name())
                .add(submission.intent().orElse(null))
                .add(submission.callback().orElse(null))
                .add(submission.cacheOptions().toString())
                .add(submission.admission().toString())
                .add(submission.variables().map(PinnedVariables::versions).orElse(null));
        new TreeMap<>(submission.labels())
                .forEach((name, value) -> digest.add(name).add(value));
        return digest.hex();
    }

    /** Returns the index of the item whose execution answers this item; empty if the item runs. */
    Optional<Integer> answeredBy(int index) {
        return Optional.ofNullable(firstByLater.get(index));
    }

    /** Returns whether the execution of this item answers other items. */
    boolean answersOthers(int index) {
        return shared.contains(index);
    }

    /**
     * Returns the submission of an item that runs. If its execution answers other items, it may only read: the tools
     * can change after this check.
     */
    Submission restrictEffects(int index, Submission submission) {
        return answersOthers(index) ? submission.withEffects(EffectMode.READ_ONLY) : submission;
    }
}
