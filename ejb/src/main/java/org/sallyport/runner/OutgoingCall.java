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
 * @param perhaps whether an earlier run may have sent it
 */
record OutgoingCall(long ordinal, ToolName tool, Json arguments, boolean perhaps) {

    /** The same as a person wrote it. */
    OutgoingCall with(Json edited) {
        return new OutgoingCall(ordinal, tool, edited, perhaps);
    }

    /** The same to another tool. */
    OutgoingCall to(ToolName other) {
        return new OutgoingCall(ordinal, other, arguments, perhaps);
    }

    /**
     * A call that is made if people agree.
     *
     * @param tool the tool as the catalog knows it; empty when the script itself asks
     * @param personKnows whether a person is asked what became of it when nobody knows
     */
    record Wanted(OutgoingCall call, Optional<CatalogTool> tool, boolean personKnows) {}
}
