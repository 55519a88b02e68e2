package org.sallyport.runner;

import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalState;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Decision;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;

/** Answers to calls, as scripts hear them. */
final class Answers {
    private Answers() {}

    /** What a call was answered in an earlier run. */
    static ToolResult of(TraceEvent.ToolEnded ended) {
        return ended.error().isPresent()
                ? new ToolResult.Failure(ended.error().get())
                : ToolResult.success(ended.result().orElse(Json.NULL));
    }

    /** That nobody knows. */
    static ToolResult unknown(String why) {
        return ToolResult.failure(ToolErrorCode.OUTCOME_UNKNOWN, why + "; it may have happened");
    }

    /** That people, or the time, said no. */
    static ToolResult denied(Approval approval) {
        String note = approval.decision().map(Approval.Made::note).orElse("");
        String how = approval.state() == ApprovalState.EXPIRED
                ? "nobody approved '" + approval.question().tool() + "' in time"
                : "a person denied '" + approval.question().tool() + "'" + (note.isEmpty() ? "" : ": " + note);
        return new ToolResult.Failure(Decision.Deny.error(approval.question().rule(), how));
    }

    /** That the call may not be made. */
    static ToolResult notRecorded(long call, ToolName tool) {
        return ToolResult.failure(
                ToolErrorCode.NOT_RECORDED,
                "this run is offline, and the recording has no answer to call " + call + " (" + tool
                        + ") with these arguments; nothing was sent");
    }

    static void deliver(SandboxSession session, long call, ToolResult result) {
        if (result instanceof ToolResult.Success success) {
            session.resolve(call, success.value().text());
        } else if (result instanceof ToolResult.Failure failure) {
            ToolError error = failure.error();
            session.reject(
                    call,
                    new GuestError(
                            error.code().code(),
                            error.message(),
                            error.code().retryable(),
                            error.details().map(Json::text).orElse(null)));
        }
    }
}
