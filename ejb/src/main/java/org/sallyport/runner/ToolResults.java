package org.sallyport.runner;

import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalState;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.sandbox.ExactNumberEncoder;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/** Replies to calls, in the form that scripts receive. */
final class ToolResults {
    private ToolResults() {}

    /** Returns the reply that an earlier run received. */
    static ToolResult of(TraceEvent.ToolEnded ended) {
        return ended.error().isPresent()
                ? new ToolResult.ToolFailure(ended.error().get())
                : ToolResult.success(ended.result().orElse(Json.NULL));
    }

    /**
     * Returns the reply as scripts and the journal receive it: with texts in place of the numbers that JavaScript would
     * change.
     */
    static ToolReply withExactNumbers(ToolReply reply) {
        if (reply.result() instanceof ToolResult.ToolSuccess success) {
            String text = success.value().text();
            String exact = ExactNumberEncoder.encode(text);
            return exact.equals(text) ? reply : reply.withResult(ToolResult.success(new Json(exact)), reply.attempts());
        } else if (reply.result() instanceof ToolResult.ToolFailure failure
                && failure.error().details().isPresent()) {
            ToolError error = failure.error();
            ToolError exact = new ToolError(
                    error.code(),
                    error.message(),
                    error.details().map(details -> new Json(ExactNumberEncoder.encode(details.text()))));
            return reply.withResult(new ToolResult.ToolFailure(exact), reply.attempts());
        }
        return reply;
    }

    /** Returns how many bytes of memory the text of a reply occupies. */
    static long memoryBytes(ToolReply reply) {
        long chars = reply.result() instanceof ToolResult.ToolSuccess success
                ? success.value().text().length()
                : ((ToolResult.ToolFailure) reply.result())
                        .error()
                        .details()
                        .map(details -> details.text().length())
                        .orElse(0);
        return chars * Character.BYTES;
    }

    /** Returns the error for a call whose outcome is unknown. */
    static ToolResult outcomeUnknown(String why) {
        return ToolResult.failure(ToolErrorCode.OUTCOME_UNKNOWN, why + "; it may have had its effect");
    }

    /** Returns the error for a call whose approval was denied or expired. */
    static ToolResult approvalDenied(Approval approval) {
        String note = approval.decision().map(Approval.ApprovalDecision::note).orElse("");
        String how = approval.state() == ApprovalState.EXPIRED
                ? "'" + approval.request().tool() + "' was not approved in time"
                : "an approver denied '" + approval.request().tool() + "'" + (note.isEmpty() ? "" : ": " + note);
        return new ToolResult.ToolFailure(
                PolicyDecision.DenyDecision.toToolError(approval.request().rule(), how));
    }

    /** Returns the error for a call that an offline run cannot answer from its recording. */
    static ToolResult notRecorded(long call, ToolName tool) {
        return ToolResult.failure(
                ToolErrorCode.NOT_RECORDED,
                "this run is offline, and the recording has no answer to call " + call + " (" + tool
                        + ") with these arguments; nothing was sent");
    }

    static void deliver(SandboxSession session, long call, ToolResult result) {
        if (result instanceof ToolResult.ToolSuccess success) {
            session.resolve(call, success.value().text());
        } else if (result instanceof ToolResult.ToolFailure failure) {
            ToolError error = failure.error();
            session.reject(
                    call,
                    new GuestError(
                            error.code().code(),
                            error.message(),
                            error.code().isRetryable(),
                            error.details().map(Json::text).orElse(null)));
        }
    }
}
