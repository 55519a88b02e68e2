package org.sallyport.runner;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.OutputKind;

/**
 * The output of one run on its way from the sandbox to the journal. Redacts it and notes when it arrives, which is at
 * most about 20 ms after the script wrote it. Text that the redactor holds back, because a secret may begin in it,
 * takes the place and the time of its release. Thread-safe.
 */
final class RunOutput {
    private final JournalBuffer entries;
    private final OutputRedactor redactor;
    private final InstantSource clock;
    private final BooleanSupplier stopsForHandover;
    private final Runnable onAdded;

    /**
     * The output that the script wrote after it was asked to stop for a handover. It is dropped if another run
     * continues the script: that run writes it again, and the last lines of truncated output are not the last ones yet.
     * Guards itself.
     */
    private final List<HeldBackOutput> heldBack = new ArrayList<>();

    private record HeldBackOutput(OutputKind kind, String text, Instant at) {}

    /**
     * @param clock the clock of the trace events
     * @param stopsForHandover returns whether the script is being stopped so that another run continues it
     * @param onAdded run after output was added to {@code entries}
     */
    RunOutput(
            JournalBuffer entries,
            OutputRedactor redactor,
            InstantSource clock,
            BooleanSupplier stopsForHandover,
            Runnable onAdded) {
        this.entries = entries;
        this.redactor = redactor;
        this.clock = clock;
        this.stopsForHandover = stopsForHandover;
        this.onAdded = onAdded;
    }

    /** Adds output of the script. */
    void add(OutputKind kind, String text) {
        synchronized (heldBack) {
            if (stopsForHandover.getAsBoolean()) {
                heldBack.add(new HeldBackOutput(kind, text, clock.instant()));
                return;
            }
        }
        addRedacted(kind, text, clock.instant());
        onAdded.run();
    }

    /** Adds the output that was held back for a handover, because no other run continues the script. */
    void addHeldBack() {
        synchronized (heldBack) {
            heldBack.forEach(output -> addRedacted(output.kind(), output.text(), output.at()));
            heldBack.clear();
        }
    }

    private void addRedacted(OutputKind kind, String text, Instant at) {
        synchronized (redactor) {
            entries.addOutput(kind, redactor.redactOutput(kind, text), at);
        }
    }

    /** Adds the text that the redactor held back. Called at the end of the run. */
    void flush() {
        synchronized (redactor) {
            redactor.flush((kind, text) -> entries.addOutput(kind, text, clock.instant()));
        }
    }

    /** Returns another text of the script, redacted. */
    String redact(String text) {
        return redactor.redact(text);
    }

    /** Returns the outcome, redacted. May wait for the store. */
    ExecutionOutcome redact(ExecutionOutcome outcome) {
        return redactor.redact(outcome);
    }
}
