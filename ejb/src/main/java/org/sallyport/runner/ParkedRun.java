package org.sallyport.runner;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.execution.FencingToken;
import org.sallyport.tool.ToolReply;

/**
 * An execution that is parked while its tool replies arrive at this node.
 *
 * @param fence fencing token of its last claim
 * @param inFlight pending replies by call ordinal; empty for a call that was never sent
 * @param maxWait time after which it is resumed without the replies
 * @param triesLeft how often resuming it may still fail
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
