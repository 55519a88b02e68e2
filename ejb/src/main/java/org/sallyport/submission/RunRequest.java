package org.sallyport.submission;

/** A request to run an inline script or a capability. */
public sealed interface RunRequest {

    /** Returns the options of the run; for a capability, code and language are ignored. */
    Submission options();

    /** A script that is part of the request. */
    record InlineScriptRun(Submission options) implements RunRequest {}

    /** A published capability. */
    record CapabilityRun(RunCapabilityRequest call) implements RunRequest {
        @Override
        public Submission options() {
            return call.options();
        }
    }
}
