package org.sallyport.journal;

import org.sallyport.execution.ExecutionId;

/**
 * Where a recorded reply is stored.
 *
 * @param execution the execution whose journal contains it
 * @param seq sequence number of the entry
 * @param call ordinal of the call
 */
public record ReplyPosition(ExecutionId execution, long seq, long call) {
    static ReplyPosition of(ExecutionId execution, TraceEvent.ToolEnded ended) {
        return new ReplyPosition(execution, ended.seq(), ended.call());
    }
}
