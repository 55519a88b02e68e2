package org.sallyport.policy;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.sallyport.execution.Cost;
import org.sallyport.execution.Fence;

/**
 * What calls cost, and how much of the budgets is left. Every method is one transaction, and right however many nodes charge at
 * the same time. Days and months are those of the store's clock, in UTC. All methods throw {@link
 * org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface SpendingStore {
    /** Where nobody counts. */
    SpendingStore UNCOUNTED = new SpendingStore() {
        @Override
        public Answer charge(Charge charge, List<Budget> budgets) {
            return new Answer.Charged();
        }

        @Override
        public void refund(Fence fence, long call) {
            // It was not taken down.
        }

        @Override
        public List<Spent> report(Optional<String> tenant, LocalDate since, Spent.By by, int limit) {
            return List.of();
        }
    };

    /** What became of a charge. */
    sealed interface Answer {
        /** It is taken down, now or by an earlier run of the same execution. */
        record Charged() implements Answer {}

        /**
         * A budget does not have so much; nothing is taken down.
         *
         * @param left what it has
         * @param renewsAt when it has all again, if it ever has
         */
        record Exceeded(Budget budget, Cost left, Optional<Instant> renewsAt) implements Answer {}

        /** Somebody else runs the execution, or it has ended; nothing is taken down. */
        record NotHeld() implements Answer {}
    }

    /**
     * Takes a charge down if all {@code budgets} have so much. Once for each call, whoever repeats it: what was taken down
     * stays, whatever the call would cost by now.
     */
    Answer charge(Charge charge, List<Budget> budgets);

    /** Takes back what a call was charged that this run was the last to make: it has not reached its tool. */
    void refund(Fence fence, long call);

    /**
     * What calls cost since the beginning of a day; the dearest first, days in their order. At most so many lines.
     *
     * @param tenant whose; empty for those of all
     */
    List<Spent> report(Optional<String> tenant, LocalDate since, Spent.By by, int limit);
}
