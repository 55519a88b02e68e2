package org.sallyport.runner;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.execution.ExecutionProgress;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.OutputKind;
import org.sallyport.journal.ConnectorReport;
import org.sallyport.journal.DryRunPlan;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.OutputChunk;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/** What a run has not written yet; gives events their numbers and output its offsets. Thread-safe. */
final class JournalBuffer {
    /** Pieces of output are joined up to this length, so that a chatty script does not make a row of each line. */
    private static final int CHUNK_CHARS = 32_000;

    private final InstantSource clock;
    private long lastSeq;
    private final OutputStreamState out;
    private final OutputStreamState err;
    private boolean truncated;
    private List<TraceEvent> events = new ArrayList<>();
    private List<OutputChunk> output = new ArrayList<>();
    private Optional<ExecutionProgress> progress = Optional.empty();
    private final StringBuilder replayLog = new StringBuilder();
    private int undecidedCalls;
    private JournalBatch unwritten = JournalBatch.NONE;

    /**
     * @param lastSeq what is stored of the trace
     * @param outLength what is stored of stdout, and is not to be stored again when this run repeats it
     * @param errLength what is stored of stderr, likewise
     */
    JournalBuffer(InstantSource clock, long lastSeq, long outLength, long errLength) {
        this.clock = clock;
        this.lastSeq = lastSeq;
        this.out = new OutputStreamState(outLength);
        this.err = new OutputStreamState(errLength);
    }

    /** One stream of this run. */
    private static final class OutputStreamState {
        private long length;
        private long charsToSkip;

        OutputStreamState(long stored) {
            this.length = stored;
            this.charsToSkip = stored;
        }

        /** What of {@code text} was not printed by an earlier run. */
        String skipRepeated(String text) {
            int repeated = (int) Math.min(charsToSkip, text.length());
            charsToSkip -= repeated;
            return text.substring(repeated);
        }
    }

    synchronized void addStateChange(ExecutionState state, int attempt) {
        events.add(new TraceEvent.StateChanged(++lastSeq, clock.instant(), state, attempt));
    }

    /** @param replayed whether a re-run repeats it */
    synchronized void addCallStart(long call, ToolName tool, Json arguments, boolean replayed) {
        // Before the call, so that a re-run from there knows what was heard until then.
        flushReplayLog();
        events.add(new TraceEvent.ToolStarted(++lastSeq, clock.instant(), call, tool, arguments, replayed));
    }

    /** A call is about to be noted of which nobody has said yet whether it may leave. */
    synchronized void beginDecision() {
        undecidedCalls++;
    }

    /** One of the undecided calls is decided on now, before anything else is written. */
    synchronized void endDecision() {
        undecidedCalls--;
    }

    /** Whether each call that is noted has been decided on: a run after a death takes what was written for sent. */
    synchronized boolean allCallsDecided() {
        return undecidedCalls == 0;
    }

    /** A re-run repeats an answer. */
    synchronized void addReplayedReply(TraceEvent.ToolEnded answer) {
        events.add(answer.asReplayed(++lastSeq, clock.instant()));
    }

    /** As {@link #addReplayedReply}, of a call that a dry run lists: the one is never stored without the other. */
    synchronized void addReplayedPlanStep(TraceEvent.ToolEnded answer) {
        addPolicyDecision(answer.call(), answer.tool(), DryRunPlan.RECORDING_RULE, DryRunPlan.PLANNED);
        addReplayedReply(answer);
    }

    synchronized void addCallEnd(long call, ToolName tool, long durationMillis, ToolReply reply) {
        Optional<Json> result = reply.result() instanceof ToolResult.ToolSuccess success
                ? Optional.of(success.value())
                : Optional.empty();
        var error = reply.result() instanceof ToolResult.ToolFailure failure
                ? Optional.of(failure.error())
                : Optional.<org.sallyport.tool.ToolError>empty();
        reply.sharedFrom()
                .ifPresent(other -> addPolicyDecision(call, tool, other.toString(), TraceEvent.PolicyDecided.SHARED));
        events.add(new TraceEvent.ToolEnded(
                ++lastSeq,
                clock.instant(),
                call,
                tool,
                durationMillis,
                reply.queueMillis(),
                result,
                error,
                false,
                reply.attempts(),
                ConnectorReport.of(reply)));
    }

    synchronized void addPolicyDecision(long call, ToolName tool, String rule, String decision) {
        events.add(new TraceEvent.PolicyDecided(++lastSeq, clock.instant(), call, tool, rule, decision));
    }

    synchronized void addApprovalRequest(Approval approval) {
        ApprovalRequest question = approval.request();
        events.add(new TraceEvent.ApprovalRequested(
                ++lastSeq, clock.instant(), question.call(), question.tool(), approval.id(), question.kind()));
    }

    synchronized void addApprovalDecision(Approval approval) {
        ApprovalRequest question = approval.request();
        events.add(new TraceEvent.ApprovalDecided(
                ++lastSeq,
                clock.instant(),
                question.call(),
                question.tool(),
                approval.id(),
                question.kind(),
                approval.state(),
                approval.decision().map(Approval.ApprovalDecision::decidedBy).orElse(""),
                approval.decision().map(Approval.ApprovalDecision::note).orElse(""),
                approval.decision().flatMap(Approval.ApprovalDecision::editedArguments)));
    }

    synchronized void addOutput(OutputKind kind, String text) {
        OutputStreamState stream = kind == OutputKind.OUT ? out : err;
        String fresh = stream.skipRepeated(text);
        if (fresh.isEmpty()) {
            return;
        }
        if (!appendToLastChunk(kind, fresh)) {
            output.add(new OutputChunk(kind, stream.length, fresh));
        }
        stream.length += fresh.length();
    }

    private boolean appendToLastChunk(OutputKind kind, String text) {
        if (output.isEmpty()) {
            return false;
        }
        OutputChunk last = output.get(output.size() - 1);
        if (last.kind() != kind || last.text().length() + text.length() > CHUNK_CHARS) {
            return false;
        }
        output.set(output.size() - 1, new OutputChunk(kind, last.offset(), last.text() + text));
        return true;
    }

    synchronized void setProgress(ExecutionProgress now) {
        progress = Optional.of(now);
    }

    /** Goes with what is written next; alone it is not worth a write. */
    synchronized void addReplayLog(String log) {
        replayLog.append(log);
    }

    synchronized void markTruncated() {
        truncated = true;
    }

    /** All that is not written; the caller writes it and calls {@link #markWritten()}, or the next call gives it again. */
    synchronized JournalBatch takeUnwritten() {
        flushReplayLog();
        if (!events.isEmpty() || !output.isEmpty() || progress.isPresent() || truncated != unwritten.truncated()) {
            unwritten = new JournalBatch(
                    concat(unwritten.events(), events),
                    concat(unwritten.output(), output),
                    truncated,
                    progress.or(unwritten::progress));
            progress = Optional.empty();
            events = new ArrayList<>();
            output = new ArrayList<>();
        }
        return unwritten;
    }

    private void flushReplayLog() {
        if (!replayLog.isEmpty()) {
            events.add(new TraceEvent.ReplayLogRecorded(++lastSeq, clock.instant(), replayLog.toString()));
            replayLog.setLength(0);
        }
    }

    /** As {@link #takeUnwritten()}, with the word that the execution is no longer run as the last event; that one is not kept. */
    synchronized JournalBatch takeWithState(ExecutionState next, int attempt) {
        JournalBatch all = takeUnwritten();
        TraceEvent last = new TraceEvent.StateChanged(lastSeq + 1, clock.instant(), next, attempt);
        return new JournalBatch(concat(all.events(), List.of(last)), all.output(), all.truncated());
    }

    /** What {@link #takeUnwritten()} gave last is stored. */
    synchronized void markWritten() {
        unwritten = new JournalBatch(List.of(), List.of(), unwritten.truncated());
    }

    synchronized boolean isEmpty() {
        return events.isEmpty()
                && output.isEmpty()
                && progress.isEmpty()
                && unwritten.progress().isEmpty()
                && unwritten.events().isEmpty()
                && unwritten.output().isEmpty()
                && truncated == unwritten.truncated();
    }

    private static <T> List<T> concat(List<T> first, List<T> second) {
        if (first.isEmpty()) {
            return second;
        }
        List<T> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }
}
