package org.sallyport.runner;

import java.util.Optional;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * A call on its way to its backend.
 *
 * @param ordinal of the call
 * @param tool what is called
 * @param arguments with what
 * @param maybeSent whether an earlier run may have sent it
 */
record PendingCall(long ordinal, ToolName tool, Json arguments, boolean maybeSent) {

    /** The same as a person wrote it. */
    PendingCall withArguments(Json edited) {
        return new PendingCall(ordinal, tool, edited, maybeSent);
    }

    /** The same to another tool. */
    PendingCall withTool(ToolName other) {
        return new PendingCall(ordinal, other, arguments, maybeSent);
    }

    /**
     * A call that is made if people agree.
     *
     * @param tool the tool as the catalog knows it; empty when the script itself asks
     * @param approverCanConfirm whether a person is asked what became of it when nobody knows
     */
    record CallAwaitingApproval(PendingCall call, Optional<CatalogTool> tool, boolean approverCanConfirm) {}
}
