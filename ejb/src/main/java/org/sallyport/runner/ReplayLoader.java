package org.sallyport.runner;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalReplay;
import org.sallyport.journal.RecordedExecution;
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
        Optional<RerunOrigin> rerun = claim.rerun().filter(RerunOrigin::usesRecording);
        if (rerun.isEmpty()) {
            return readOwn(claim, journal, RecordedExecution.NONE, abandoned)
                    .map(replay -> withoutRecording(claim, replay));
        }
        return StoreRetry.callWhileUnavailable(() -> readRecording(journal, rerun.get()), abandoned)
                .flatMap(recording -> readOwn(claim, journal, recording, abandoned)
                        .map(replay -> withRecording(claim, replay, recording)));
    }

    private static Optional<JournalReplay> readOwn(
            ClaimedExecution claim, Journal journal, RecordedExecution recording, BooleanSupplier abandoned) {
        ExecutionId id = claim.fence().id();
        return claim.lastSeq() == 0
                ? Optional.of(new JournalReplay(id, action -> {}, recording))
                : StoreRetry.callWhileUnavailable(
                        () -> new JournalReplay(
                                id, action -> TracePager.forEach(journal::readEntries, id, action), recording),
                        abandoned);
    }

    /** An execution that is deleted during the read counts as not found. */
    private static RecordedExecution readRecording(Journal journal, RerunOrigin rerun) {
        RecordedExecution.RecordingBuilder recording = new RecordedExecution.RecordingBuilder(rerun);
        TracePager.forEach(journal::readEntries, rerun.original(), recording::add);
        return journal.findPosition(rerun.original())
                        .filter(position -> position.lastSeq() <= recording.lastSeq())
                        .isPresent()
                ? recording.build()
                : new RecordedExecution.RecordingBuilder(rerun).build();
    }

    private static ReplayLoader withoutRecording(ClaimedExecution claim, JournalReplay replay) {
        return new ReplayLoader(
                replay, new ReplayState(claim.seed(), replay.replayLog(), replay.replyCount()), "", true);
    }

    private static ReplayLoader withRecording(
            ClaimedExecution claim, JournalReplay replay, RecordedExecution recording) {
        String heard = recording.sameScript()
                ? ReplayState.withoutTimersAfter(recording.replayLog(), recording.replyCountBefore())
                : ReplayState.withoutTimers(recording.replayLog());
        return new ReplayLoader(
                replay,
                new ReplayState(claim.seed(), replay.hasStarted() ? replay.replayLog() : heard, replay.replyCount()),
                replay.hasStarted() ? "" : heard,
                recording.isFound());
    }
}
