package org.sallyport.submission;

import org.sallyport.capability.MissingTool;
import org.sallyport.variable.UnsetVariable;

/** Describes refusals of runs that no client waits for, such as runs of schedules. */
final class RejectionMessages {
    private RejectionMessages() {}

    static String describe(SubmissionResult refusal) {
        if (refusal instanceof SubmissionResult.InvalidScriptSyntax bad && !bad.isOfFailedCheck()) {
            return "its script has a syntax error: " + bad.message();
        } else if (refusal instanceof SubmissionResult.SubmissionTooLarge large) {
            return "its '" + large.member() + "' has " + large.size() + " bytes; at most " + large.limit()
                    + " are taken";
        } else if (refusal instanceof SubmissionResult.SubmissionForbidden forbidden) {
            return forbidden.reason();
        } else if (refusal instanceof SubmissionResult.CapabilityVersionNotFound none) {
            return "there is no version '" + none.version().orElse("stable") + "' of a capability '" + none.name()
                    + "'";
        } else if (refusal instanceof SubmissionResult.SavedScriptNotFound none) {
            return "there is no script '" + none.name() + "'";
        } else if (refusal instanceof SubmissionResult.IntegrityMismatch other) {
            return "'" + other.capability() + "' does not have the expected hash: " + other.reason();
        } else if (refusal instanceof SubmissionResult.InvalidCapabilityArguments invalid) {
            return "its 'args" + invalid.pointer() + "' " + invalid.reason();
        } else if (refusal instanceof SubmissionResult.VariablesNotSet missing) {
            return UnsetVariable.describe(missing.unset());
        } else if (refusal instanceof SubmissionResult.VariablesTooLarge large) {
            return "the variables of '" + large.capability() + "' have together more than " + large.maxChars()
                    + " characters";
        } else if (refusal instanceof SubmissionResult.TenantQueueFull full) {
            return "the tenant has " + full.limit() + " executions that wait to start, which is its limit";
        } else if (refusal instanceof SubmissionResult.ScriptCheckUnavailable
                || refusal instanceof SubmissionResult.InvalidScriptSyntax) {
            return "no sandbox can check its script now";
        } else if (refusal instanceof SubmissionResult.ToolsMissing missing) {
            return MissingTool.describe(missing.missing());
        } else if (refusal instanceof SubmissionResult.SandboxNotAllowed refused) {
            return refused.reason();
        } else if (refusal instanceof SubmissionResult.TenantQuotaExceeded exceeded) {
            return "the tenant's quota '" + exceeded.quota().label() + "', " + exceeded.limit() + ", is used up";
        }
        return "it would not be accepted: " + refusal;
    }
}
