package org.sallyport.execution;

import java.util.function.Supplier;

/** Repeats writes of which it is unknown whether they are stored, because their commit was not answered. Stateless. */
public final class UnknownWriteRepeater {
    private UnknownWriteRepeater() {}

    /**
     * Runs a write, and runs it once more if it is unknown whether it is stored. It must be one that takes effect once.
     *
     * @throws StoreUnavailableException if the store does not answer; {@link StoreUnavailableException#maybeStored()}
     *     tells of both runs
     */
    public static <T> T repeatIfUnknown(Supplier<T> write) {
        return repeatIfUnknown(write, write);
    }

    /**
     * Like {@link #repeatIfUnknown(Supplier)}, with a second run that differs from the first.
     *
     * @param repetition the same write, which may find that it is stored already
     */
    public static <T> T repeatIfUnknown(Supplier<T> write, Supplier<T> repetition) {
        try {
            return write.get();
        } catch (StoreUnavailableException e) {
            if (!e.maybeStored()) {
                throw e;
            }
        }
        try {
            return repetition.get();
        } catch (StoreUnavailableException e) {
            throw e.maybeStored() ? e : new StoreUnavailableException(String.valueOf(e.getMessage()), e, true);
        }
    }
}
