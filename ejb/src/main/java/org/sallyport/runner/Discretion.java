package org.sallyport.runner;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.OutputKind;
import org.sallyport.secret.RedactedResult;
import org.sallyport.secret.Redaction;

/**
 * What a run prints and how it ends, without its tenant's secrets and what its policy hides. A script is never told one, yet may come by one in parts or
 * from who submitted it. Not thread-safe.
 */
final class Discretion {
    private final Supplier<Redaction> asked;
    private final Supplier<Redaction> redactions;
    private final Map<OutputKind, Redaction.Stream> streams = new EnumMap<>(OutputKind.class);
    private Redaction streamed;

    /**
     * @param asked what is hidden; may wait for the store
     * @param redactions what is hidden now, as far as it is known: a secret may be stored, or get another value, while the script runs
     */
    Discretion(Supplier<Redaction> asked, Supplier<Redaction> redactions) {
        this.asked = asked;
        this.redactions = redactions;
        this.streamed = asked.get();
        for (OutputKind kind : OutputKind.values()) {
            streams.put(kind, streamed.stream());
        }
    }

    /** What may be shown now; what may be the beginning of a secret is shown with what follows. As long as it was printed. */
    String printed(OutputKind kind, String text) {
        Redaction now = redactions.get();
        if (now != streamed) {
            streamed = now;
            streams.replaceAll((each, before) -> now.stream().after(before));
        }
        Redaction.Stream stream = streams.get(kind);
        return stream == null ? text : stream.next(text);
    }

    /** Gives what was held back, at the end. */
    void rest(BiConsumer<OutputKind, String> shown) {
        streams.forEach((kind, stream) -> {
            String rest = stream.rest();
            if (!rest.isEmpty()) {
                shown.accept(kind, rest);
            }
        });
    }

    String of(String text) {
        return redactions.get().of(text);
    }

    /** How it ends, kept so for good: by what holds at the end. May wait for the store. */
    Outcome of(Outcome outcome) {
        Redaction redaction = asked.get();
        if (redaction.isEmpty()) {
            return outcome;
        } else if (outcome instanceof Outcome.Completed completed) {
            return new Outcome.Completed(RedactedResult.of(completed.result(), redaction));
        } else if (outcome instanceof Outcome.Failed failed) {
            return new Outcome.Failed(of(failed.error(), redaction));
        }
        return outcome;
    }

    private static ExecutionError of(ExecutionError error, Redaction redaction) {
        return new ExecutionError(
                redaction.of(error.code()),
                error.culprit(),
                redaction.of(error.message()),
                error.line(),
                error.column(),
                redaction.of(error.stack()),
                error.tool(),
                error.call());
    }
}
