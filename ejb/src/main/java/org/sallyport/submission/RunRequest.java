package org.sallyport.submission;

/** What is asked for when something is to run. */
public sealed interface RunRequest {

    /** All that is asked for besides what a capability brings. */
    Submission options();

    /** A script that comes with the request. */
    record InlineScriptRun(Submission options) implements RunRequest {}

    /** What was published. */
    record CapabilityRun(RunCapabilityRequest call) implements RunRequest {
        @Override
        public Submission options() {
            return call.options();
        }
    }
}
