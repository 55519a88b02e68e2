package org.sallyport.runner;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalReplay;
import org.sallyport.journal.RecordedExecution;
import org.sallyport.journal.TraceEvent;
import org.sallyport.journal.TracePager;
import org.sallyport.sandbox.ReplayState;

/**
 * Loads the state that a run replays: the earlier runs of its execution and, in a re-run, the recording that it starts
 * from.
 *
 * @param replay calls and replies
 * @param replayState the replay log and settings for the session
 * @param unjournaledLog the part of the replay log that the execution's own journal does not contain yet
 * @param recordingFound false when the recording to start from no longer exists
 */
record ReplayLoader(JournalReplay replay, ReplayState replayState, String unjournaledLog, boolean recordingFound) {

    /**
     * Reads the journals. Retries while the store is unavailable, because only the journal tells which calls were made
     * already.
     *
     * @param abandoned returns whether to stop waiting
     * @return empty when the journals were not read, because the wait was abandoned or the thread was interrupted
     */
    static Optional<ReplayLoader> load(ClaimedExecution claim, Journal journal, BooleanSupplier abandoned) {
        Optional<List<TraceEvent>> own = claim.lastSeq() == 0
                ? Optional.of(List.of())
                : StoreRetry.callWhileUnavailable(
                        () -> readAll(journal, claim.fence().id()), abandoned);
        Optional<RerunOrigin> rerun = claim.rerun().filter(RerunOrigin::usesRecording);
        if (own.isEmpty() || rerun.isEmpty()) {
            return own.map(events -> withoutRecording(claim, events));
        }
        return StoreRetry.callWhileUnavailable(
                        () -> readRecording(journal, rerun.get().original()), abandoned)
                .map(stored -> withRecording(claim, own.get(), stored, rerun.get()));
    }

    private static List<TraceEvent> readAll(Journal journal, ExecutionId id) {
        List<TraceEvent> all = new ArrayList<>();
        TracePager.forEach(journal::readEntries, id, all::add);
        return all;
    }

    /** Returns no entries when the execution no longer exists, also when it was deleted during the read. */
    private static List<TraceEvent> readRecording(Journal journal, ExecutionId original) {
        List<TraceEvent> stored = readAll(journal, original);
        long lastSeq = stored.isEmpty() ? 0 : stored.get(stored.size() - 1).seq();
        return journal.findPosition(original)
                        .filter(position -> position.lastSeq() <= lastSeq)
                        .isPresent()
                ? stored
                : List.of();
    }

    private static ReplayLoader withoutRecording(ClaimedExecution claim, List<TraceEvent> own) {
        JournalReplay replay = new JournalReplay(own);
        return new ReplayLoader(
                replay, new ReplayState(claim.seed(), replay.replayLog(), replay.replyCount()), "", true);
    }

    private static ReplayLoader withRecording(
            ClaimedExecution claim, List<TraceEvent> own, List<TraceEvent> stored, RerunOrigin rerun) {
        RecordedExecution recording = RecordedExecution.of(stored, rerun);
        JournalReplay replay = new JournalReplay(own, recording);
        String heard = recording.sameScript()
                ? ReplayState.withoutTimersAfter(recording.replayLog(), recording.replyCountBefore())
                : ReplayState.withoutTimers(recording.replayLog());
        boolean started = hasStarted(own);
        return new ReplayLoader(
                replay,
                new ReplayState(claim.seed(), started ? replay.replayLog() : heard, replay.replyCount()),
                started ? "" : heard,
                !stored.isEmpty());
    }

    /**
     * Returns whether the run has written to its journal. The first write contains the replay log that it starts from,
     * together with the state change.
     */
    private static boolean hasStarted(List<TraceEvent> own) {
        return own.stream()
                .anyMatch(event ->
                        event instanceof TraceEvent.StateChanged changed && changed.state() == ExecutionState.RUNNING);
    }
}
