package org.sallyport.runner;

import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.sallyport.execution.Claim;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Rerun;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.Journal;
import org.sallyport.journal.Recording;
import org.sallyport.journal.Replay;
import org.sallyport.journal.TraceEvent;
import org.sallyport.sandbox.Past;

/**
 * What a run repeats: the earlier runs of its execution and, of a re-run, the recording it began with.
 *
 * @param replay calls and answers
 * @param past what the script hears again
 * @param untold of the past, what the own journal does not tell yet
 * @param complete false when the recording to begin with is gone
 */
record Repetition(Replay replay, Past past, String untold, boolean complete) {

    /**
     * Reads it; waits for a store that is away, since without it nobody can say what was done already.
     *
     * @param over whether nothing is to be waited for any more
     */
    static Repetition of(Claim claim, Journal journal, BooleanSupplier over) {
        List<TraceEvent> own = claim.lastSeq() == 0
                ? List.of()
                : patiently(() -> journal.recording(claim.fence().id()), over);
        Optional<Rerun> rerun = claim.rerun().filter(Rerun::repeats);
        if (rerun.isEmpty()) {
            Replay replay = new Replay(own);
            return new Repetition(replay, new Past(claim.seed(), replay.notes(), replay.replies()), "", true);
        }
        List<TraceEvent> stored = patiently(() -> journal.recording(rerun.get().of()), over);
        Recording recording = Recording.of(stored, rerun.get());
        Replay replay = new Replay(own, recording);
        String heard = recording.exact()
                ? Past.until(recording.notes(), recording.repliesBefore())
                : Past.times(recording.notes());
        boolean told = hasRun(own);
        return new Repetition(
                replay,
                new Past(claim.seed(), told ? replay.notes() : heard, replay.replies()),
                told ? "" : heard,
                !stored.isEmpty());
    }

    /** Its first write tells what it begins with, together with its state. */
    private static boolean hasRun(List<TraceEvent> own) {
        return own.stream()
                .anyMatch(event ->
                        event instanceof TraceEvent.StateChanged changed && changed.state() == ExecutionState.RUNNING);
    }

    private static List<TraceEvent> patiently(Supplier<List<TraceEvent>> read, BooleanSupplier over) {
        while (!over.getAsBoolean()) {
            try {
                return read.get();
            } catch (StoreUnavailableException e) {
                RunWriter.pause();
            }
        }
        return List.of();
    }
}
