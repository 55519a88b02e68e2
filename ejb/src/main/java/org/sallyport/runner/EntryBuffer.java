package org.sallyport.runner;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.approval.Approval;
import org.sallyport.approval.Question;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.Progress;
import org.sallyport.journal.Entries;
import org.sallyport.journal.OutputChunk;
import org.sallyport.journal.Plan;
import org.sallyport.journal.Served;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/** What a run has not written yet; gives events their numbers and output its offsets. Thread-safe. */
final class EntryBuffer {
    /** Pieces of output are joined up to this length, so that a chatty script does not make a row of each line. */
    private static final int CHUNK_CHARS = 32_000;

    private final InstantSource clock;
    private long lastSeq;
    private final Stream out;
    private final Stream err;
    private boolean truncated;
    private List<TraceEvent> events = new ArrayList<>();
    private List<OutputChunk> output = new ArrayList<>();
    private Optional<Progress> progress = Optional.empty();
    private final StringBuilder notes = new StringBuilder();
    private int undecided;
    private Entries unwritten = Entries.NONE;

    /**
     * @param lastSeq what is stored of the trace
     * @param outLength what is stored of stdout, and is not to be stored again when this run repeats it
     * @param errLength what is stored of stderr, likewise
     */
    EntryBuffer(InstantSource clock, long lastSeq, long outLength, long errLength) {
        this.clock = clock;
        this.lastSeq = lastSeq;
        this.out = new Stream(outLength);
        this.err = new Stream(errLength);
    }

    /** One stream of this run. */
    private static final class Stream {
        private long length;
        private long repeats;

        Stream(long stored) {
            this.length = stored;
            this.repeats = stored;
        }

        /** What of {@code text} was not printed by an earlier run. */
        String fresh(String text) {
            int repeated = (int) Math.min(repeats, text.length());
            repeats -= repeated;
            return text.substring(repeated);
        }
    }

    synchronized void state(ExecutionState state, int attempt) {
        events.add(new TraceEvent.StateChanged(++lastSeq, clock.instant(), state, attempt));
    }

    /** @param replayed whether a re-run repeats it */
    synchronized void started(long call, ToolName tool, Json arguments, boolean replayed) {
        // Before the call, so that a re-run from there knows what was heard until then.
        noteHeard();
        events.add(new TraceEvent.ToolStarted(++lastSeq, clock.instant(), call, tool, arguments, replayed));
    }

    /** A call is about to be noted of which nobody has said yet whether it may leave. */
    synchronized void undecided() {
        undecided++;
    }

    /** One of the undecided calls is decided on now, before anything else is written. */
    synchronized void deciding() {
        undecided--;
    }

    /** Whether each call that is noted has been decided on: a run after a death takes what was written for sent. */
    synchronized boolean isDecided() {
        return undecided == 0;
    }

    /** A re-run repeats an answer. */
    synchronized void repeated(TraceEvent.ToolEnded answer) {
        events.add(answer.repeated(++lastSeq, clock.instant()));
    }

    /** As {@link #repeated}, of a call that a dry run lists: the one is never stored without the other. */
    synchronized void listed(TraceEvent.ToolEnded answer) {
        judged(answer.call(), answer.tool(), Plan.RECORDED, Plan.LISTED);
        repeated(answer);
    }

    synchronized void ended(long call, ToolName tool, long durationMillis, ToolReply reply) {
        Optional<Json> result =
                reply.result() instanceof ToolResult.Success success ? Optional.of(success.value()) : Optional.empty();
        var error = reply.result() instanceof ToolResult.Failure failure
                ? Optional.of(failure.error())
                : Optional.<org.sallyport.tool.ToolError>empty();
        reply.from().ifPresent(other -> judged(call, tool, other.toString(), TraceEvent.Judged.SHARED));
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
                Served.of(reply)));
    }

    synchronized void judged(long call, ToolName tool, String rule, String decision) {
        events.add(new TraceEvent.Judged(++lastSeq, clock.instant(), call, tool, rule, decision));
    }

    synchronized void asked(Approval approval) {
        Question question = approval.question();
        events.add(new TraceEvent.Asked(
                ++lastSeq, clock.instant(), question.call(), question.tool(), approval.id(), question.kind()));
    }

    synchronized void decided(Approval approval) {
        Question question = approval.question();
        events.add(new TraceEvent.Decided(
                ++lastSeq,
                clock.instant(),
                question.call(),
                question.tool(),
                approval.id(),
                question.kind(),
                approval.state(),
                approval.decision().map(Approval.Made::by).orElse(""),
                approval.decision().map(Approval.Made::note).orElse(""),
                approval.decision().flatMap(Approval.Made::edited)));
    }

    synchronized void printed(OutputKind kind, String text) {
        Stream stream = kind == OutputKind.OUT ? out : err;
        String fresh = stream.fresh(text);
        if (fresh.isEmpty()) {
            return;
        }
        if (!joined(kind, fresh)) {
            output.add(new OutputChunk(kind, stream.length, fresh));
        }
        stream.length += fresh.length();
    }

    private boolean joined(OutputKind kind, String text) {
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

    synchronized void progressed(Progress now) {
        progress = Optional.of(now);
    }

    /** Goes with what is written next; alone it is not worth a write. */
    synchronized void recorded(String log) {
        notes.append(log);
    }

    synchronized void truncated() {
        truncated = true;
    }

    /** All that is not written; the caller writes it and calls {@link #written()}, or the next call gives it again. */
    synchronized Entries take() {
        noteHeard();
        if (!events.isEmpty() || !output.isEmpty() || progress.isPresent() || truncated != unwritten.truncated()) {
            unwritten = new Entries(
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

    private void noteHeard() {
        if (!notes.isEmpty()) {
            events.add(new TraceEvent.Recorded(++lastSeq, clock.instant(), notes.toString()));
            notes.setLength(0);
        }
    }

    /** As {@link #take()}, with the word that the execution is no longer run as the last event; that one is not kept. */
    synchronized Entries takeWith(ExecutionState next, int attempt) {
        Entries all = take();
        TraceEvent last = new TraceEvent.StateChanged(lastSeq + 1, clock.instant(), next, attempt);
        return new Entries(concat(all.events(), List.of(last)), all.output(), all.truncated());
    }

    /** What {@link #take()} gave last is stored. */
    synchronized void written() {
        unwritten = new Entries(List.of(), List.of(), unwritten.truncated());
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
