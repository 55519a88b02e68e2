package org.sallyport.runner;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.sallyport.journal.JournalReplay;
import org.sallyport.tool.ToolReply;

/**
 * State from an execution's earlier runs.
 *
 * @param replay the stored calls and replies of the earlier runs, and of the execution that is repeated
 * @param inFlight pending replies by call ordinal; empty for a call that was never sent
 * @param onDivergence receives a description of how this run differs from the earlier ones
 * @param onRecordingGone called when the execution that is repeated was deleted before all its replies were read
 * @param onComplete called once when the last of several replies was returned; must not block
 */
record ReplayContext(
        JournalReplay replay,
        Map<Long, Optional<CompletionStage<ToolReply>>> inFlight,
        Consumer<String> onDivergence,
        Runnable onRecordingGone,
        Runnable onComplete) {}
