package org.sallyport.runner;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.sallyport.journal.JournalReplay;
import org.sallyport.tool.ToolReply;

/**
 * What is left of an execution's earlier runs.
 *
 * @param replay what is stored of them, and of the execution that is repeated
 * @param inFlight answers that are still to come, by the ordinals of their calls; empty for a call that never left
 * @param onDivergence told how this run differs from them
 */
record ReplayContext(
        JournalReplay replay,
        Map<Long, Optional<CompletionStage<ToolReply>>> inFlight,
        Consumer<String> onDivergence) {}
