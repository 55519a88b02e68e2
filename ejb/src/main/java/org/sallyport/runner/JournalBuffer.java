package org.sallyport.runner;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ExecutionProgress;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.OutputKind;
import org.sallyport.journal.ConnectorReport;
import org.sallyport.journal.DryRunPlan;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.JournalSize;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Buffers the journal entries that a run has not written yet. Assigns sequence numbers to events and offsets to output.
 * Thread-safe.
 */
final class JournalBuffer {
    /** Bytes of unwritten events and output beyond which no further replies are delivered. */
    private static final long MAX_UNWRITTEN_BYTES = 4L << 20;

    private final InstantSource clock;
    private long lastSeq;
    private final PendingOutput output;
    private boolean truncated;
    private List<TraceEvent> events = new ArrayList<>();
    private Optional<ExecutionProgress> progress = Optional.empty();
    private final StringBuilder replayLog = new StringBuilder();
    private int undecidedCalls;
    private final BlockedAttemptCounter blockedAttempts;
    private final EntryMemory memory;
    /** Bytes of all entries of the execution, stored or not. */
    private long journalBytes;
    /** Bytes of {@code events} and {@code output}. */
    private long newBytes;
    /** Bytes of the events and the output of {@code unwritten}. */
    private long takenBytes;
    /** The blocked attempts in the batch that was taken last. */
    private BlockedAttempts takenAttempts;

    private JournalBatch unwritten = JournalBatch.NONE;

    /**
     * @param lastSeq sequence number of the last stored trace event
     * @param outLength stored characters of stdout, which are skipped when this run repeats them
     * @param errLength stored characters of stderr, likewise
     * @param storedBytes bytes of the stored entries
     * @param stored the stored blocked attempts
     * @param memory the memory of the unwritten events and output
     */
    JournalBuffer(
            InstantSource clock,
            long lastSeq,
            long outLength,
            long errLength,
            long storedBytes,
            BlockedAttempts stored,
            EntryMemory memory) {
        this.clock = clock;
        this.lastSeq = lastSeq;
        this.output = new PendingOutput(outLength, errLength);
        this.journalBytes = storedBytes;
        this.blockedAttempts = new BlockedAttemptCounter(stored);
        this.takenAttempts = stored;
        this.memory = memory;
    }

    /** Creates the buffer of a run of a claimed execution. */
    static JournalBuffer of(ClaimedExecution claim, EngineServices context) {
        return new JournalBuffer(
                context.clock(),
                claim.lastSeq(),
                claim.outputLength(),
                claim.errorOutputLength(),
                claim.journalBytes(),
                claim.blockedAttempts(),
                new EntryMemory(context.memory(), claim.tenant()));
    }

    private void add(TraceEvent event) {
        events.add(event);
        long bytes = JournalSize.ofEntry(event);
        newBytes += bytes;
        journalBytes += bytes;
        memory.resize(newBytes + takenBytes);
    }

    /**
     * Returns whether so many entries of this run, or of all runs of the node, are unwritten that the script must wait:
     * while the store is unavailable, its calls would otherwise fill the memory. A full buffer is not empty, and no
     * longer full once it is written.
     */
    synchronized boolean isFull() {
        long bytes = newBytes + takenBytes;
        return bytes > MAX_UNWRITTEN_BYTES || !memory.resize(bytes);
    }

    /** The memory of what this run has not written yet. */
    EntryMemory memory() {
        return memory;
    }

    /** Frees the memory. The run adds little any more. */
    void close() {
        memory.close();
    }

    /** Returns the bytes of all entries of the execution, stored or not. */
    synchronized long journalBytes() {
        return journalBytes;
    }

    synchronized void addStateChange(ExecutionState state, int attempt) {
        add(new TraceEvent.StateChanged(++lastSeq, clock.instant(), state, attempt));
    }

    /** @param replayed whether the call is repeated in a re-run */
    synchronized void addCallStart(long call, ToolName tool, Json arguments, boolean replayed) {
        // Flush before the call, so that a re-run that starts at this call knows the replay log up to it.
        flushReplayLog();
        add(new TraceEvent.ToolStarted(++lastSeq, clock.instant(), call, tool, arguments, replayed));
    }

    /** Announces a call that is journaled before it is decided whether the call may be sent. */
    synchronized void beginDecision() {
        undecidedCalls++;
    }

    /** Marks one undecided call as decided. The caller decides it before anything else is written. */
    synchronized void endDecision() {
        undecidedCalls--;
    }

    /**
     * Returns whether every journaled call has been decided. After a crash, the next run assumes that a journaled call
     * was sent.
     */
    synchronized boolean allCallsDecided() {
        return undecidedCalls == 0;
    }

    /** Adds a reply that a re-run repeats. */
    synchronized void addReplayedReply(TraceEvent.ToolEnded answer) {
        add(answer.asReplayed(++lastSeq, clock.instant()));
    }

    /**
     * Like {@link #addReplayedReply}, for a call that a dry run lists: adds the plan step and the reply together, so
     * that neither is stored alone.
     */
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
        add(new TraceEvent.ToolEnded(
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

    /**
     * Like {@link #addCallEnd}, for a call that was refused because its tool is not granted: counts the attempt
     * together with the reply, so that neither is stored alone and a replay of the reply does not count it again.
     *
     * @param shownName the name of the tool without secrets: the script may have put one into it
     */
    synchronized void addRefusedCallEnd(
            long call, ToolName tool, String shownName, long durationMillis, ToolReply reply) {
        blockedAttempts.addRefusedCall(shownName);
        addCallEnd(call, tool, durationMillis, reply);
    }

    /** Sets the blocked attempts in the script since it began. They cause no write of their own. */
    synchronized void setReportedAttempts(List<BlockedAttempts.BlockedAttemptCount> reported) {
        blockedAttempts.setReported(reported);
    }

    /** Returns the blocked attempts of all runs so far. */
    synchronized BlockedAttempts blockedAttempts() {
        return blockedAttempts.counts();
    }

    synchronized void addPolicyDecision(long call, ToolName tool, String rule, String decision) {
        add(new TraceEvent.PolicyDecided(++lastSeq, clock.instant(), call, tool, rule, decision));
    }

    synchronized void addApprovalRequest(Approval approval) {
        ApprovalRequest question = approval.request();
        add(new TraceEvent.ApprovalRequested(
                ++lastSeq, clock.instant(), question.call(), question.tool(), approval.id(), question.kind()));
    }

    synchronized void addApprovalDecision(Approval approval) {
        ApprovalRequest question = approval.request();
        add(new TraceEvent.ApprovalDecided(
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

    /** @param at when the script wrote the text */
    synchronized void addOutput(OutputKind kind, String text, Instant at) {
        newBytes += (long) output.add(kind, text, at) * Character.BYTES;
        memory.resize(newBytes + takenBytes);
    }

    synchronized void setProgress(ExecutionProgress now) {
        progress = Optional.of(now);
    }

    /** Adds to the replay log, which is written as an entry before the next call, or with the next write. */
    synchronized void addReplayLog(String log) {
        replayLog.append(log);
    }

    synchronized void markTruncated() {
        truncated = true;
    }

    /**
     * Returns all unwritten entries. The caller writes them and calls {@link #markWritten()}; otherwise the next call
     * returns them again.
     */
    synchronized JournalBatch takeUnwritten() {
        flushReplayLog();
        BlockedAttempts attempts = blockedAttempts.counts();
        boolean moreAttempts = !attempts.equals(takenAttempts);
        if (!events.isEmpty()
                || !output.isEmpty()
                || progress.isPresent()
                || truncated != unwritten.truncated()
                || moreAttempts) {
            unwritten = new JournalBatch(
                    concat(unwritten.events(), events),
                    concat(unwritten.output(), output.takePieces()),
                    truncated,
                    progress.or(unwritten::progress),
                    moreAttempts ? Optional.of(attempts) : unwritten.blockedAttempts());
            takenAttempts = attempts;
            progress = Optional.empty();
            events = new ArrayList<>();
            takenBytes += newBytes;
            newBytes = 0;
        }
        return unwritten;
    }

    private void flushReplayLog() {
        if (!replayLog.isEmpty()) {
            add(new TraceEvent.ReplayLogRecorded(++lastSeq, clock.instant(), replayLog.toString()));
            replayLog.setLength(0);
        }
    }

    /**
     * Like {@link #takeUnwritten()}, plus a final event that the execution leaves this run for the state {@code next}.
     * The buffer does not keep that event.
     */
    synchronized JournalBatch takeWithState(ExecutionState next, int attempt) {
        JournalBatch all = takeUnwritten();
        TraceEvent last = new TraceEvent.StateChanged(lastSeq + 1, clock.instant(), next, attempt);
        return new JournalBatch(
                concat(all.events(), List.of(last)),
                all.output(),
                all.truncated(),
                all.progress(),
                all.blockedAttempts());
    }

    /** Marks the batch that {@link #takeUnwritten()} last returned as stored. */
    synchronized void markWritten() {
        unwritten = new JournalBatch(List.of(), List.of(), unwritten.truncated());
        takenBytes = 0;
        memory.resize(newBytes);
    }

    synchronized boolean isEmpty() {
        return events.isEmpty()
                && replayLog.isEmpty()
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
