package org.sallyport.runner;

import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalReplay;
import org.sallyport.journal.RecordedExecution;
import org.sallyport.journal.TraceEvent;
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
     * @param shouldStop returns whether to stop waiting
     */
    static ReplayLoader load(ClaimedExecution claim, Journal journal, BooleanSupplier shouldStop) {
        List<TraceEvent> own = claim.lastSeq() == 0
                ? List.of()
                : readWithRetry(() -> journal.readEntries(claim.fence().id()), shouldStop);
        Optional<RerunOrigin> rerun = claim.rerun().filter(RerunOrigin::usesRecording);
        if (rerun.isEmpty()) {
            JournalReplay replay = new JournalReplay(own);
            return new ReplayLoader(
                    replay, new ReplayState(claim.seed(), replay.replayLog(), replay.replyCount()), "", true);
        }
        List<TraceEvent> stored =
                readWithRetry(() -> journal.readEntries(rerun.get().original()), shouldStop);
        RecordedExecution recording = RecordedExecution.of(stored, rerun.get());
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

    private static List<TraceEvent> readWithRetry(Supplier<List<TraceEvent>> read, BooleanSupplier shouldStop) {
        while (!shouldStop.getAsBoolean()) {
            try {
                return read.get();
            } catch (StoreUnavailableException e) {
                JournalWriter.pauseBeforeRetry();
            }
        }
        return List.of();
    }
}
