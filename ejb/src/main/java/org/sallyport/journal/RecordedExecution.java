package org.sallyport.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/** The part of the original execution that a re-run replays. Immutable once it is built. */
public final class RecordedExecution {
    /** The recording of an execution that is no re-run. */
    public static final RecordedExecution NONE = new RecordedExecution(false, false);

    private final Map<Long, RecordedCall> startedCalls = new HashMap<>();
    private final List<ReplyPosition> endedCalls = new ArrayList<>();
    private final Map<Long, ReplyPosition> repliesByCall = new HashMap<>();
    private final ReplyWindow firstReplies = new ReplyWindow();
    private final StringBuilder replayLog = new StringBuilder();
    private final Map<Long, List<ToolName>> fallbackTools = new HashMap<>();
    private final boolean sameScript;
    private final boolean offline;
    private long replyCountBefore;
    private boolean found;

    private RecordedExecution(boolean sameScript, boolean offline) {
        this.sameScript = sameScript;
        this.offline = offline;
    }

    /** Selects the part of the original's journal that a re-run covers. */
    public static final class RecordingBuilder {
        private final RerunOrigin rerun;
        private final RecordedExecution recording;
        private final Map<ToolName, ToolName> toolNames = new HashMap<>();
        private boolean beyond;
        private long lastSeq;

        public RecordingBuilder(RerunOrigin rerun) {
            this.rerun = rerun;
            this.recording = new RecordedExecution(!rerun.edited(), rerun.mode() == RerunOrigin.RerunMode.OFFLINE);
        }

        /** Receives all stored entries of the original, in order. */
        public void add(TraceEvent event) {
            recording.found = true;
            lastSeq = event.seq();
            if (event instanceof TraceEvent.ToolStarted started && rerun.covers(started.call())) {
                recording.startedCalls.put(started.call(), RecordedCall.of(started, toolNames));
            } else if (event instanceof TraceEvent.ToolStarted) {
                beyond = true;
            } else if (event instanceof TraceEvent.ToolEnded ended
                    && rerun.covers(ended.call())
                    && reachedScript(ended)) {
                recording.addReply(ReplyPosition.of(rerun.original(), ended), ended);
                recording.replyCountBefore += beyond ? 0 : 1;
            } else if (event instanceof TraceEvent.PolicyDecided judged
                    && judged.decision().equals(TraceEvent.PolicyDecided.FALLBACK)
                    && rerun.covers(judged.call())) {
                recording
                        .fallbackTools
                        .computeIfAbsent(judged.call(), any -> new ArrayList<>())
                        .add(judged.tool());
            } else if (event instanceof TraceEvent.ReplayLogRecorded recorded && !beyond) {
                recording.replayLog.append(recorded.replayLog());
            }
        }

        /** Returns the sequence number of the last entry, 0 when there was none. */
        public long lastSeq() {
            return lastSeq;
        }

        public RecordedExecution build() {
            return recording;
        }
    }

    private void addReply(ReplyPosition position, TraceEvent.ToolEnded ended) {
        endedCalls.add(position);
        repliesByCall.putIfAbsent(position.call(), position);
        firstReplies.offer(position, ended);
    }

    /** A call that was still open when its execution ended was cancelled: the script never received the reply. */
    private static boolean reachedScript(TraceEvent.ToolEnded ended) {
        return ended.error()
                .filter(error -> error.code() == ToolErrorCode.CANCELLED)
                .isEmpty();
    }

    /** Returns whether the original's journal has entries; false when it was deleted. */
    public boolean isFound() {
        return found;
    }

    /** Returns whether the script is the same, so that it must make the same calls. */
    public boolean sameScript() {
        return sameScript;
    }

    /** Returns whether no call is made for real, not even a call that is not recorded. */
    boolean offline() {
        return offline;
    }

    /** Returns the times and timers that the script received before the first call that is not replayed. */
    public String replayLog() {
        return replayLog.toString();
    }

    /** Returns how many replies the script received before the first call that is not replayed. */
    public long replyCountBefore() {
        return replyCountBefore;
    }

    /** Returns the calls, by their ordinals. */
    Map<Long, RecordedCall> startedCalls() {
        return startedCalls;
    }

    /** Returns the replies, in the order in which the script received them. */
    List<ReplyPosition> endedCalls() {
        return endedCalls;
    }

    /** Returns the first replies with their content. */
    Map<ReplyPosition, TraceEvent.ToolEnded> firstReplies() {
        return firstReplies.replies();
    }

    /** Returns the fallback tools that were called in place of the script's tools, by the ordinals of the calls. */
    Map<Long, List<ToolName>> fallbackTools() {
        return fallbackTools;
    }

    /** Returns the reply to a call; empty when there is none. */
    Optional<ReplyPosition> findEndedCall(long call) {
        return Optional.ofNullable(repliesByCall.get(call));
    }
}
