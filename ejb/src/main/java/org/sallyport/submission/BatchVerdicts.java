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
import org.sallyport.access.Caller;
import org.sallyport.tool.Json;

/** Judges the items of a batch, a few at a time: what is remembered of ten thousand is only what is wrong with some. */
final class BatchVerdicts {
    private static final int AT_ONCE = 64;

    private final BatchRequest.Items items;
    private final Map<Integer, Json> problems = new TreeMap<>();
    private final Deque<Open> open = new ArrayDeque<>();
    private Receipt.@Nullable Unavailable unavailable;

    private record Open(int index, CompletionStage<Optional<Receipt>> verdict) {}

    BatchVerdicts(BatchRequest.Items items) {
        this.items = items;
    }

    /** Waits for the sandbox to read the scripts. */
    void judge(Reception reception, BatchNames names, Caller caller) {
        Iterator<BatchRequest.Item> all = items.read();
        for (int index = 0; all.hasNext() && unavailable == null; index++) {
            BatchRequest.Item item = all.next();
            if (item instanceof BatchRequest.Item.Unreadable bad) {
                problems.put(index, bad.problem());
            } else {
                try {
                    open.add(new Open(
                            index,
                            names.made(
                                    item,
                                    refusal -> CompletableFuture.completedFuture(Optional.of(refusal)),
                                    submission -> reception.check(caller, submission))));
                } catch (InvalidSubmissionException e) {
                    problems.put(index, items.problem(e));
                }
            }
            if (open.size() >= AT_ONCE) {
                settle(open.remove());
            }
        }
        while (!open.isEmpty()) {
            settle(open.remove());
        }
    }

    private void settle(Open item) {
        item.verdict().toCompletableFuture().join().ifPresent(refusal -> {
            if (refusal instanceof Receipt.Unavailable ours) {
                unavailable = ours;
            } else {
                problems.put(item.index(), items.problem(refusal));
            }
        });
    }

    /** Refuses what is good beyond the first so many. */
    void refuseBeyond(int most, Receipt refusal) {
        int good = 0;
        for (int index = 0; index < items.count(); index++) {
            if (!problems.containsKey(index) && ++good > most) {
                problems.put(index, items.problem(refusal));
            }
        }
    }

    /** Why nothing could be judged, and it is not the items' fault. */
    Optional<Receipt> unavailable() {
        return Optional.ofNullable(unavailable);
    }

    /** What is wrong, by index. */
    Map<Integer, Json> problems() {
        return problems;
    }
}
