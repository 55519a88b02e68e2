package org.sallyport.execution;

/**
 * What makes an execution a re-run of another.
 *
 * @param original the other, which has ended
 * @param mode what it takes over of the other's recording
 * @param fromCall the first call that is made for real, from 1; of no meaning but with {@link RerunMode#FROM}
 * @param edited whether its script or its input is not the other's: then calls may differ from those recorded
 */
public record RerunOrigin(ExecutionId original, RerunMode mode, long fromCall, boolean edited) {

    /** What is taken over. */
    public enum RerunMode {
        /** Nothing: all happens anew. */
        FRESH,
        /** The answers to the calls before one; that call and those after it are made for real. */
        FROM,
        /** All answers; nothing is made for real. */
        OFFLINE
    }

    /** Whether anything is taken over of the other's recording. */
    public boolean usesRecording() {
        return mode != RerunMode.FRESH;
    }

    /** Whether {@code call} is answered from the recording, if it is in there. */
    public boolean covers(long call) {
        return mode == RerunMode.OFFLINE || mode == RerunMode.FROM && call < fromCall;
    }
}
