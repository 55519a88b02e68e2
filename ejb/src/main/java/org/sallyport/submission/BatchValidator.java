package org.sallyport.submission;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.tool.Json;

/**
 * Checks the items of a batch, a bounded number at the same time. Keeps only the problems, not the items. Not
 * thread-safe.
 */
final class BatchValidator {
    private static final int MAX_PENDING_CHECKS = 64;

    private final BatchRequest.BatchItemSource items;
    private final Map<Integer, Json> problems = new TreeMap<>();
    private final Deque<PendingItemCheck> pendingChecks = new ArrayDeque<>();
    private SubmissionResult.@Nullable ScriptCheckUnavailable unavailable;

    private record PendingItemCheck(int index, CompletionStage<Optional<SubmissionResult>> result) {}

    BatchValidator(BatchRequest.BatchItemSource items) {
        this.items = items;
    }

    /** Checks all items; waits for the sandbox to check the scripts. */
    void validate(SubmissionService reception, BatchItemResolver names, Caller caller) {
        Iterator<BatchRequest.BatchRequestEntry> all = items.read();
        for (int index = 0; all.hasNext() && unavailable == null; index++) {
            BatchRequest.BatchRequestItem item = all.next().item();
            if (item instanceof BatchRequest.BatchRequestItem.UnreadableItem bad) {
                problems.put(index, bad.problem());
            } else {
                try {
                    pendingChecks.add(new PendingItemCheck(
                            index,
                            names.resolve(
                                    item,
                                    refusal -> CompletableFuture.completedFuture(Optional.of(refusal)),
                                    submission -> reception.check(caller, submission))));
                } catch (InvalidSubmissionException e) {
                    problems.put(index, items.problem(index, e));
                }
            }
            if (pendingChecks.size() >= MAX_PENDING_CHECKS) {
                collectResult(pendingChecks.remove());
            }
        }
        while (!pendingChecks.isEmpty()) {
            collectResult(pendingChecks.remove());
        }
    }

    private void collectResult(PendingItemCheck item) {
        item.result().toCompletableFuture().join().ifPresent(refusal -> {
            if (refusal instanceof SubmissionResult.ScriptCheckUnavailable ours) {
                unavailable = ours;
            } else {
                problems.put(item.index(), items.problem(item.index(), refusal));
            }
        });
    }

    /** Refuses all valid items after the first {@code maxItems}. */
    void refuseBeyond(int maxItems, SubmissionResult refusal) {
        int good = 0;
        for (int index = 0; index < items.count(); index++) {
            if (!problems.containsKey(index) && ++good > maxItems) {
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
