package org.sallyport.submission;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

/**
 * Checks the items of a batch, a bounded number at the same time. Keeps only the problems, not the items. Not
 * thread-safe.
 */
final class BatchValidator {
    private static final int MAX_PENDING_CHECKS = 64;
    /** Characters of the submissions that are checked at the same time, besides one of any size. */
    private static final int MAX_PENDING_CHARS = 1 << 20;

    private final BatchRequest.BatchItemSource items;
    private final BatchCoalescing coalescing;
    private final boolean scriptsWereAccepted;
    private final Map<Integer, Json> problems = new TreeMap<>();
    private final Deque<PendingItemCheck> pendingChecks = new ArrayDeque<>();
    private long pendingChars;
    /** The items in TypeScript whose submitter named no language. */
    private final BitSet typeScriptItems = new BitSet();

    private SubmissionResult.@Nullable ScriptCheckUnavailable unavailable;

    /**
     * @param key see {@link BatchCoalescing#key}
     * @param chars characters of the submission that is checked
     */
    private record PendingItemCheck(int index, Optional<String> key, long chars, CompletionStage<ItemCheck> result) {}

    /** What is kept of the check of an item. */
    record ItemCheck(Optional<SubmissionResult> refusal, boolean typeScript) {
        static ItemCheck of(SubmissionService.CheckedSubmission checked) {
            return new ItemCheck(checked.refusal(), checked.submission().language() == ScriptLanguage.TYPESCRIPT);
        }
    }

    /**
     * @param scriptsWereAccepted whether all scripts were accepted before, so that a syntax error without a line
     *     concerns the check and not the script
     */
    BatchValidator(BatchRequest.BatchItemSource items, BatchCoalescing coalescing, boolean scriptsWereAccepted) {
        this.items = items;
        this.coalescing = coalescing;
        this.scriptsWereAccepted = scriptsWereAccepted;
    }

    /** Checks all items; waits for the sandbox to check the scripts. */
    void validate(SubmissionService reception, BatchItemResolver names, Caller caller) {
        Iterator<BatchRequest.BatchRequestEntry> all = items.read();
        for (int next = 0; all.hasNext() && unavailable == null; next++) {
            int index = next;
            BatchRequest.BatchRequestItem item = all.next().item();
            if (item instanceof BatchRequest.BatchRequestItem.UnreadableItem bad) {
                problems.put(index, bad.problem());
            } else {
                try {
                    addPending(names.resolve(
                            item,
                            refusal -> new PendingItemCheck(
                                    index,
                                    Optional.empty(),
                                    0,
                                    CompletableFuture.completedFuture(new ItemCheck(Optional.of(refusal), false))),
                            submission -> new PendingItemCheck(
                                    index,
                                    coalescing.key(submission),
                                    countChars(submission),
                                    reception
                                            .checkWithLanguage(caller, submission)
                                            .thenApply(ItemCheck::of))));
                } catch (InvalidSubmissionException e) {
                    problems.put(index, items.problem(index, e));
                }
            }
            while (pendingChecks.size() >= MAX_PENDING_CHECKS || pendingChars > MAX_PENDING_CHARS) {
                collectResult();
            }
        }
        while (!pendingChecks.isEmpty()) {
            collectResult();
        }
    }

    private static long countChars(Submission submission) {
        return (long) submission.code().length()
                + submission.args().text().length()
                + submission.context().text().length();
    }

    private void addPending(PendingItemCheck item) {
        pendingChecks.add(item);
        pendingChars += item.chars();
    }

    private void collectResult() {
        PendingItemCheck item = pendingChecks.remove();
        pendingChars -= item.chars();
        addCheck(item.index(), item.key(), item.result().toCompletableFuture().join());
    }

    /** Keeps the result of the check of one item, and the language of its script. */
    void addCheck(int index, Optional<String> key, ItemCheck check) {
        typeScriptItems.set(index, check.typeScript());
        addResult(index, key, check.refusal());
    }

    /** Returns the submission of a valid item, with the language that the check has found if it names none. */
    Submission withLanguage(int index, Submission submission) {
        if (submission.language() != ScriptLanguage.UNSPECIFIED) {
            return submission;
        }
        return submission.withLanguage(
                typeScriptItems.get(index) ? ScriptLanguage.TYPESCRIPT : ScriptLanguage.JAVASCRIPT);
    }

    /** Keeps the result of the check of one item. */
    void addResult(int index, Optional<String> key, Optional<SubmissionResult> refusal) {
        if (refusal.isEmpty()) {
            key.ifPresent(equal -> coalescing.add(index, equal));
        } else if (refusal.get() instanceof SubmissionResult.ScriptCheckUnavailable ours) {
            unavailable = ours;
        } else if (scriptsWereAccepted
                && refusal.get() instanceof SubmissionResult.InvalidScriptSyntax failed
                && failed.isOfFailedCheck()) {
            unavailable = new SubmissionResult.ScriptCheckUnavailable(failed.message());
        } else {
            problems.put(index, items.problem(index, refusal.get()));
        }
    }

    /** Returns the number of items that will run: the valid ones that no other item answers. */
    int countRuns() {
        return (int) IntStream.range(0, items.count()).filter(this::runs).count();
    }

    /** Returns the number of valid items that the execution of another item answers. */
    int countAnswered() {
        return items.count() - problems.size() - countRuns();
    }

    private boolean runs(int index) {
        return !problems.containsKey(index) && coalescing.answeredBy(index).isEmpty();
    }

    /** Refuses all items that would run after the first {@code maxRuns}, and the items that they would answer. */
    void refuseBeyond(int maxRuns, SubmissionResult refusal) {
        int runs = 0;
        for (int index = 0; index < items.count(); index++) {
            boolean isAccepted = runs(index)
                    ? ++runs <= maxRuns
                    : coalescing.answeredBy(index).filter(problems::containsKey).isEmpty();
            if (!isAccepted && !problems.containsKey(index)) {
                problems.put(index, items.problem(index, refusal));
            }
        }
    }

    /** Returns the reason why no item could be checked although the items are not at fault; otherwise empty. */
    Optional<SubmissionResult> unavailable() {
        return Optional.ofNullable(unavailable);
    }

    /** Returns the problems by item index. */
    Map<Integer, Json> problems() {
        return problems;
    }
}
