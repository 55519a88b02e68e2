package org.sallyport.runner;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.OutputKind;
import org.sallyport.secret.Redactor;
import org.sallyport.secret.ToolResultRedactor;

/**
 * What a run prints and how it ends, without its tenant's secrets and what its policy hides. A script is never told one, yet may come by one in parts or
 * from who submitted it. Not thread-safe.
 */
final class OutputRedactor {
    private final Supplier<Redactor> storedRedactor;
    private final Supplier<Redactor> cachedRedactor;
    private final Map<OutputKind, Redactor.RedactingStream> streams = new EnumMap<>(OutputKind.class);
    private Redactor streamRedactor;

    /**
     * @param asked what is hidden; may wait for the store
     * @param redactions what is hidden now, as far as it is known: a secret may be stored, or get another value, while the script runs
     */
    OutputRedactor(Supplier<Redactor> asked, Supplier<Redactor> redactions) {
        this.storedRedactor = asked;
        this.cachedRedactor = redactions;
        this.streamRedactor = asked.get();
        for (OutputKind kind : OutputKind.values()) {
            streams.put(kind, streamRedactor.stream());
        }
    }

    /** What may be shown now; what may be the beginning of a secret is shown with what follows. As long as it was printed. */
    String redactOutput(OutputKind kind, String text) {
        Redactor now = cachedRedactor.get();
        if (now != streamRedactor) {
            streamRedactor = now;
            streams.replaceAll((each, before) -> now.stream().continueFrom(before));
        }
        Redactor.RedactingStream stream = streams.get(kind);
        return stream == null ? text : stream.redactNext(text);
    }

    /** Gives what was held back, at the end. */
    void flush(BiConsumer<OutputKind, String> shown) {
        streams.forEach((kind, stream) -> {
            String rest = stream.finish();
            if (!rest.isEmpty()) {
                shown.accept(kind, rest);
            }
        });
    }

    String redact(String text) {
        return cachedRedactor.get().redact(text);
    }

    /** How it ends, kept so for good: by what holds at the end. May wait for the store. */
    ExecutionOutcome redact(ExecutionOutcome outcome) {
        Redactor redaction = storedRedactor.get();
        if (redaction.isEmpty()) {
            return outcome;
        } else if (outcome instanceof ExecutionOutcome.ExecutionCompleted completed) {
            return new ExecutionOutcome.ExecutionCompleted(ToolResultRedactor.redact(completed.result(), redaction));
        } else if (outcome instanceof ExecutionOutcome.ExecutionFailed failed) {
            return new ExecutionOutcome.ExecutionFailed(redact(failed.error(), redaction));
        }
        return outcome;
    }

    private static ExecutionError redact(ExecutionError error, Redactor redaction) {
        return new ExecutionError(
                redaction.redact(error.code()),
                error.origin(),
                redaction.redact(error.message()),
                error.line(),
                error.column(),
                redaction.redact(error.stack()),
                error.tool(),
                error.call());
    }
}
