package org.sallyport.web.api;

import org.sallyport.submission.Receipt;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;

/** Says why a submission was not accepted. */
final class ReceiptProblems {
    private ReceiptProblems() {}

    static Problem of(Receipt receipt) {
        if (receipt instanceof Receipt.BadSyntax bad) {
            return Problem.of(ProblemType.SYNTAX_ERROR, bad.message(), members -> {
                members.put("line", bad.line()).put("column", bad.column()).put("codeFrame", bad.codeFrame());
                if (bad.inTests()) {
                    members.put("member", "tests");
                }
            });
        } else if (receipt instanceof Receipt.TooLarge large) {
            return Problem.of(
                    ProblemType.PAYLOAD_TOO_LARGE,
                    "'" + large.member() + "' has " + large.size() + " bytes; at most " + large.limit() + " are taken",
                    members -> members.put("member", large.member()).put("limit", large.limit()));
        } else if (receipt instanceof Receipt.KeyReused) {
            return Problem.of(
                    ProblemType.IDEMPOTENCY_CONFLICT,
                    "this Idempotency-Key came with another body before; use a new key for a new request");
        } else if (receipt instanceof Receipt.InProgress) {
            return Problem.of(
                    ProblemType.IDEMPOTENCY_IN_PROGRESS,
                    "the first request with this Idempotency-Key is still being stored; ask again shortly");
        } else if (receipt instanceof Receipt.Forbidden forbidden) {
            return Problem.of(ProblemType.FORBIDDEN, forbidden.reason());
        } else if (receipt instanceof Receipt.NotEnded running) {
            return Problem.of(
                    ProblemType.NOT_TERMINAL,
                    "the execution is " + running.state() + "; it can be run again when it has ended",
                    members -> members.put("state", running.state().name()));
        } else if (receipt instanceof Receipt.NotApprovable unfit) {
            return Problem.of(ProblemType.PLAN_NOT_APPROVABLE, unfit.reason());
        } else if (receipt instanceof Receipt.NoCapability none) {
            return Problem.of(
                    ProblemType.NOT_FOUND,
                    "there is no version '" + Requests.shown(none.version().orElse("stable")) + "' of a capability '"
                            + Requests.shown(none.name()) + "'");
        } else if (receipt instanceof Receipt.NoScript none) {
            return Problem.of(ProblemType.NOT_FOUND, "there is no script '" + Requests.shown(none.name()) + "'");
        } else if (receipt instanceof Receipt.ScriptExists taken) {
            return Problem.of(
                    ProblemType.SCRIPT_EXISTS,
                    taken.same()
                            ? "this script is kept as '" + taken.name()
                                    + "'; a script has one name, so run it by that, or delete it first"
                            : "another script is kept as '" + taken.name()
                                    + "'; what runs it relies on that, so choose another name, or delete it first",
                    members -> members.put("name", taken.name()));
        } else if (receipt instanceof Receipt.OtherIntegrity other) {
            return Problem.of(
                    ProblemType.INTEGRITY_MISMATCH,
                    "'" + other.capability() + "' is not what was expected: " + other.reason());
        } else if (receipt instanceof Receipt.InvalidArguments bad) {
            return Problem.of(
                    ProblemType.INVALID_ARGUMENTS,
                    "'args" + bad.pointer() + "' " + bad.reason(),
                    members -> members.put("pointer", bad.pointer()));
        } else if (receipt instanceof Receipt.QueueFull full) {
            return Problem.of(
                    ProblemType.QUEUE_FULL,
                    "as many executions of this tenant wait to begin as may, " + full.most()
                            + " (the quota 'queued', or the server's sallyport.limits.queued); submit it again when some have begun",
                    members -> members.put("limit", full.most()));
        } else if (receipt instanceof Receipt.OverQuota over) {
            return Problem.of(
                    ProblemType.QUOTA_EXCEEDED,
                    "the quota '" + over.quota().word() + "' of this tenant is " + over.most()
                            + ", and as many of its executions have not ended; submit it again when some have, cancel some, or"
                            + " have whoever operates the installation raise it",
                    members -> members.put("quota", over.quota().word()).put("limit", over.most()));
        } else if (receipt instanceof Receipt.NoOriginal) {
            return Problem.of(ProblemType.NOT_FOUND, "there is no such execution");
        } else if (receipt instanceof Receipt.Unavailable unavailable) {
            return Problem.of(ProblemType.UNAVAILABLE, "no sandbox can read the script now: " + unavailable.reason());
        }
        throw new IllegalArgumentException("accepted is no problem: " + receipt);
    }
}
