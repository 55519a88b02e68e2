package org.sallyport.web.api;

import java.util.List;
import org.sallyport.capability.MissingTool;
import org.sallyport.configuration.SecretSettings;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.variable.UnsetVariable;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;

/** Maps submissions that were refused, or whose outcome is unknown, to problems. */
final class SubmissionProblems {
    private SubmissionProblems() {}

    static Problem toProblem(SubmissionResult receipt) {
        if (receipt instanceof SubmissionResult.InvalidScriptSyntax bad) {
            return Problem.of(ProblemType.SYNTAX_ERROR, bad.message(), members -> {
                members.put("line", bad.line()).put("column", bad.column()).put("codeFrame", bad.codeFrame());
                if (bad.inTests()) {
                    members.put("member", "tests");
                }
            });
        } else if (receipt instanceof SubmissionResult.SubmissionTooLarge large) {
            return Problem.of(
                    ProblemType.PAYLOAD_TOO_LARGE,
                    "'" + large.member() + "' has " + large.size() + " bytes; at most " + large.limit() + " are taken",
                    members -> members.put("member", large.member()).put("limit", large.limit()));
        } else if (receipt instanceof SubmissionResult.SubmissionKeyReused) {
            return Problem.of(
                    ProblemType.IDEMPOTENCY_CONFLICT,
                    "this Idempotency-Key was used with another request; use a new key for a new request");
        } else if (receipt instanceof SubmissionResult.SubmissionInProgress) {
            return Problem.of(
                    ProblemType.IDEMPOTENCY_IN_PROGRESS,
                    "the first request with this Idempotency-Key is still being stored; ask again shortly");
        } else if (receipt instanceof SubmissionResult.SubmissionForbidden forbidden) {
            return Problem.of(ProblemType.FORBIDDEN, forbidden.reason());
        } else if (receipt instanceof SubmissionResult.OriginalNotFinished running) {
            return Problem.of(
                    ProblemType.NOT_TERMINAL,
                    "the execution is " + running.state() + "; it can be run again when it has ended",
                    members -> members.put("state", running.state().name()));
        } else if (receipt instanceof SubmissionResult.PlanNotApprovable unfit) {
            return Problem.of(ProblemType.PLAN_NOT_APPROVABLE, unfit.reason());
        } else if (receipt instanceof SubmissionResult.CapabilityVersionNotFound none) {
            return Problem.of(
                    ProblemType.NOT_FOUND,
                    "there is no version '"
                            + RequestContexts.abbreviate(none.version().orElse("stable")) + "' of a capability '"
                            + RequestContexts.abbreviate(none.name()) + "'");
        } else if (receipt instanceof SubmissionResult.SavedScriptNotFound none) {
            return Problem.of(
                    ProblemType.NOT_FOUND, "there is no script '" + RequestContexts.abbreviate(none.name()) + "'");
        } else if (receipt instanceof SubmissionResult.SavedScriptConflict taken) {
            return Problem.of(
                    ProblemType.SCRIPT_EXISTS,
                    taken.sameScript()
                            ? "this script is saved as '" + taken.name()
                                    + "'; a script has only one name: run it by that name, or delete it first"
                            : "another script is saved as '" + taken.name()
                                    + "'; choose another name, or delete that script first",
                    members -> members.put("name", taken.name()));
        } else if (receipt instanceof SubmissionResult.IntegrityMismatch other) {
            return Problem.of(
                    ProblemType.INTEGRITY_MISMATCH,
                    "'" + other.capability() + "' does not have the expected hash: " + other.reason());
        } else if (receipt instanceof SubmissionResult.InvalidCapabilityArguments bad) {
            return Problem.of(
                    ProblemType.INVALID_ARGUMENTS,
                    "'args" + bad.pointer() + "' " + bad.reason(),
                    members -> members.put("pointer", bad.pointer()));
        } else if (receipt instanceof SubmissionResult.VariablesNotSet missing) {
            return variablesNotSet("'" + missing.capability() + "' cannot run", missing.unset());
        } else if (receipt instanceof SubmissionResult.VariablesTooLarge large) {
            return variablesTooLarge("'" + large.capability() + "' cannot run", large.maxChars());
        } else if (receipt instanceof SubmissionResult.ToolsMissing absent) {
            return toolsMissing("'" + absent.capability() + "' cannot run", absent.missing());
        } else if (receipt instanceof SubmissionResult.SandboxNotAllowed refused) {
            return sandboxNotAllowed("'" + refused.capability() + "' cannot run", refused.reason());
        } else if (receipt instanceof SubmissionResult.TenantQueueFull full) {
            return Problem.of(
                    ProblemType.QUEUE_FULL,
                    "this tenant has reached its limit of queued executions, " + full.limit()
                            + " (the quota 'queued', or the server's sallyport.limits.max-queued); submit it again when"
                            + " some have started",
                    members -> members.put("limit", full.limit()));
        } else if (receipt instanceof SubmissionResult.TenantQuotaExceeded exceeded) {
            return Problem.of(
                    ProblemType.QUOTA_EXCEEDED,
                    "the quota '" + exceeded.quota().label() + "' of this tenant is " + exceeded.limit()
                            + ", and it is used up; submit it again when some executions have ended, cancel some, or"
                            + " ask the operator of the installation to raise it",
                    members -> members.put("quota", exceeded.quota().label()).put("limit", exceeded.limit()));
        } else if (receipt instanceof SubmissionResult.OriginalExecutionNotFound) {
            return Problem.of(ProblemType.NOT_FOUND, "there is no such execution");
        } else if (receipt instanceof SubmissionResult.SubmissionOutcomeUnknown unknown) {
            return OutcomeProblems.unknown(unknown.id());
        } else if (receipt instanceof SubmissionResult.ScriptCheckUnavailable unavailable) {
            return Problem.of(ProblemType.UNAVAILABLE, "no sandbox can check the script now: " + unavailable.reason());
        }
        throw new IllegalArgumentException("an accepted submission has no problem: " + receipt);
    }

    /** @param consequence what is refused because of the sandbox */
    static Problem sandboxNotAllowed(String consequence, String reason) {
        return Problem.of(ProblemType.SANDBOX_NOT_ALLOWED, consequence + ": " + reason);
    }

    /** @param consequence what is refused because of the tools */
    static Problem toolsMissing(String consequence, List<MissingTool> missing) {
        return Problem.of(
                ProblemType.TOOLS_MISSING,
                consequence + ": " + MissingTool.describe(missing),
                members -> missing.forEach(each -> members.withArray("tools")
                        .addObject()
                        .put("tool", each.tool())
                        .put("backend", each.backend())
                        .put("reason", each.reason())));
    }

    /** @param consequence what is refused because of the variables */
    static Problem variablesTooLarge(String consequence, int maxChars) {
        return Problem.of(
                ProblemType.VARIABLES_TOO_LARGE,
                consequence + ": the names and the values of its variables have together more than " + maxChars
                        + " characters (the server's " + SecretSettings.MAX_VARIABLES_CHARS.name() + ")",
                members -> members.put("limit", maxChars));
    }

    /** @param consequence what is refused because of the variables */
    static Problem variablesNotSet(String consequence, List<UnsetVariable> unset) {
        return Problem.of(
                ProblemType.VARIABLES_NOT_SET,
                consequence + ": " + UnsetVariable.describe(unset),
                members ->
                        unset.forEach(variable -> members.withArray("variables").add(variable.name())));
    }
}
