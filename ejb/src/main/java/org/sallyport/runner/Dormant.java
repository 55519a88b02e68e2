package org.sallyport.runner;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.execution.Fence;
import org.sallyport.tool.ToolReply;

/**
 * An execution that is parked while answers of its tools come to this node.
 *
 * @param fence its last claim
 * @param inFlight answers that are still to come, by the ordinals of their calls; empty for a call that never left
 * @param most after which it goes on without them
 * @param tries how often it may still fail to go on
 */
record Dormant(Fence fence, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight, Duration most, int tries) {
    private static final int TRIES = 30;

    Dormant(Fence fence, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight, Duration most) {
        this(fence, inFlight, most, TRIES);
    }

    Dormant failedOnce() {
        return new Dormant(fence, inFlight, most, tries - 1);
    }
}
