package org.sallyport.submission;

/** Distinguishes refusals of requests that may pass from those that need a change. */
public final class TransientRefusals {
    private TransientRefusals() {}

    /**
     * Returns whether a request whose script was accepted before may be accepted later, or by another node, without a
     * change of the request. A quota may no longer be used up. A backend can miss a tool for a while, for example while
     * it is updated, and one node can have another configuration, or other keys, than the others.
     */
    public static boolean contains(SubmissionResult refusal) {
        return refusal instanceof SubmissionResult.TenantQueueFull
                || refusal instanceof SubmissionResult.TenantQuotaExceeded
                || refusal instanceof SubmissionResult.ScriptCheckUnavailable
                || refusal instanceof SubmissionResult.ToolsMissing
                || refusal instanceof SubmissionResult.SandboxNotAllowed
                || refusal instanceof SubmissionResult.InvalidScriptSyntax syntax && syntax.isOfFailedCheck()
                || refusal instanceof SubmissionResult.VariablesNotSet unset && unset.isTransient();
    }
}
