package org.sallyport.runner;

import java.util.Optional;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * A call that has no reply yet.
 *
 * @param ordinal ordinal of the call
 * @param tool the tool that is called
 * @param arguments the arguments
 * @param maybeSent whether an earlier run may have sent it
 */
record PendingCall(long ordinal, ToolName tool, Json arguments, boolean maybeSent) {

    /** Returns the call with other arguments: those that an approver edited, or none while they are not in memory. */
    PendingCall withArguments(Json others) {
        return new PendingCall(ordinal, tool, others, maybeSent);
    }

    /** Returns the call with another tool. */
    PendingCall withTool(ToolName other) {
        return new PendingCall(ordinal, other, arguments, maybeSent);
    }

    /**
     * A call that is sent once it is approved.
     *
     * @param tool the tool from the catalog; empty when the script itself requests the approval
     * @param approverCanConfirm whether an approver is asked for the outcome of the call when it is unknown
     */
    record CallAwaitingApproval(PendingCall call, Optional<CatalogTool> tool, boolean approverCanConfirm) {
        CallAwaitingApproval withArguments(Json others) {
            return new CallAwaitingApproval(call.withArguments(others), tool, approverCanConfirm);
        }
    }
}
