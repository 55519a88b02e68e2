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
 * What a run repeats: the earlier runs of its execution and, of a re-run, the recording it began with.
 *
 * @param replay calls and answers
 * @param replayState what the script hears again
 * @param unjournaledLog of the past, what the own journal does not tell yet
 * @param recordingFound false when the recording to begin with is gone
 */
record ReplayLoader(JournalReplay replay, ReplayState replayState, String unjournaledLog, boolean recordingFound) {

    /**
     * Reads it; waits for a store that is away, since without it nobody can say what was done already.
     *
     * @param over whether nothing is to be waited for any more
     */
    static ReplayLoader load(ClaimedExecution claim, Journal journal, BooleanSupplier over) {
        List<TraceEvent> own = claim.lastSeq() == 0
                ? List.of()
                : readWithRetry(() -> journal.readEntries(claim.fence().id()), over);
        Optional<RerunOrigin> rerun = claim.rerun().filter(RerunOrigin::usesRecording);
        if (rerun.isEmpty()) {
            JournalReplay replay = new JournalReplay(own);
            return new ReplayLoader(
                    replay, new ReplayState(claim.seed(), replay.replayLog(), replay.replyCount()), "", true);
        }
        List<TraceEvent> stored =
                readWithRetry(() -> journal.readEntries(rerun.get().original()), over);
        RecordedExecution recording = RecordedExecution.of(stored, rerun.get());
        JournalReplay replay = new JournalReplay(own, recording);
        String heard = recording.sameScript()
                ? ReplayState.withoutTimersAfter(recording.replayLog(), recording.replyCountBefore())
                : ReplayState.withoutTimers(recording.replayLog());
        boolean told = hasStarted(own);
        return new ReplayLoader(
                replay,
                new ReplayState(claim.seed(), told ? replay.replayLog() : heard, replay.replyCount()),
                told ? "" : heard,
                !stored.isEmpty());
    }

    /** Its first write tells what it begins with, together with its state. */
    private static boolean hasStarted(List<TraceEvent> own) {
        return own.stream()
                .anyMatch(event ->
                        event instanceof TraceEvent.StateChanged changed && changed.state() == ExecutionState.RUNNING);
    }

    private static List<TraceEvent> readWithRetry(Supplier<List<TraceEvent>> read, BooleanSupplier over) {
        while (!over.getAsBoolean()) {
            try {
                return read.get();
            } catch (StoreUnavailableException e) {
                JournalWriter.pauseBeforeRetry();
            }
        }
        return List.of();
    }
}
