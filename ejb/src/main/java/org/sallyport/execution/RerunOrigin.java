package org.sallyport.execution;

/**
 * How a re-run relates to its original.
 *
 * @param original the original execution, which has ended
 * @param mode which part of the original's journal is replayed
 * @param fromCall the first call that is made for real, from 1; only used with {@link RerunMode#FROM}
 * @param edited whether the script or its input differs from the original; calls may then differ from the recorded ones
 */
public record RerunOrigin(ExecutionId original, RerunMode mode, long fromCall, boolean edited) {

    /** Which part of the original's journal is replayed. */
    public enum RerunMode {
        /** None: all calls are made for real. */
        FRESH,
        /** The replies to all calls before {@code fromCall}; that call and those after it are made for real. */
        FROM,
        /** All replies; no call is made for real. */
        OFFLINE
    }

    /** Returns whether any part of the original's journal is replayed. */
    public boolean usesRecording() {
        return mode != RerunMode.FRESH;
    }

    /** Returns whether {@code call} is answered from the original's journal, if it is recorded there. */
    public boolean covers(long call) {
        return mode == RerunMode.OFFLINE || mode == RerunMode.FROM && call < fromCall;
    }
}
