package org.sallyport.runner;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.execution.FencingToken;
import org.sallyport.tool.ToolReply;

/**
 * An execution that is parked while answers of its tools come to this node.
 *
 * @param fence its last claim
 * @param inFlight answers that are still to come, by the ordinals of their calls; empty for a call that never left
 * @param maxWait after which it goes on without them
 * @param triesLeft how often it may still fail to go on
 */
record ParkedRun(
        FencingToken fence, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight, Duration maxWait, int triesLeft) {
    private static final int MAX_TRIES = 30;

    ParkedRun(FencingToken fence, Map<Long, Optional<CompletionStage<ToolReply>>> inFlight, Duration maxWait) {
        this(fence, inFlight, maxWait, MAX_TRIES);
    }

    ParkedRun afterFailedTry() {
        return new ParkedRun(fence, inFlight, maxWait, triesLeft - 1);
    }
}
