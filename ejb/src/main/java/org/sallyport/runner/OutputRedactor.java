package org.sallyport.runner;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.OutputKind;
import org.sallyport.redaction.Redactor;
import org.sallyport.redaction.ToolResultRedactor;

/**
 * Removes the tenant's secrets and the values that its policy hides from the output and the outcome of a run. The
 * sandbox never gives a script a secret, but the script may assemble one from parts or receive one from its submitter.
 * Not thread-safe.
 */
final class OutputRedactor {
    private final Supplier<Redactor> storedRedactor;
    private final Supplier<Redactor> cachedRedactor;
    private final Map<OutputKind, Redactor.RedactingStream> streams = new EnumMap<>(OutputKind.class);
    /** First halves of surrogate pairs whose second halves the script has not written yet. */
    private final Map<OutputKind, String> openPairs = new EnumMap<>(OutputKind.class);

    private Redactor streamRedactor;

    /**
     * @param asked returns the current redactor; may wait for the store
     * @param redactions returns the cached redactor; it may change during the run, because a secret may be added or
     *     changed
     */
    OutputRedactor(Supplier<Redactor> asked, Supplier<Redactor> redactions) {
        this.storedRedactor = asked;
        this.cachedRedactor = redactions;
        this.streamRedactor = asked.get();
        for (OutputKind kind : OutputKind.values()) {
            streams.put(kind, streamRedactor.stream());
        }
    }

    /**
     * Returns the redacted output that can be shown now. Text that may be the beginning of a secret, and the first half
     * of a surrogate pair, are held back until more output follows. Redaction keeps the length of the output.
     */
    String redactOutput(OutputKind kind, String text) {
        Redactor now = cachedRedactor.get();
        if (now != streamRedactor) {
            streamRedactor = now;
            streams.replaceAll((each, before) -> now.stream().continueFrom(before));
        }
        Redactor.RedactingStream stream = streams.get(kind);
        return holdBackHalf(kind, stream == null ? text : stream.redactNext(text));
    }

    /** A reader would show each half as another character if it got them one by one. */
    private String holdBackHalf(OutputKind kind, String shown) {
        if (shown.isEmpty()) {
            return shown;
        }
        String text = takeHalf(kind) + shown;
        int last = text.length() - 1;
        if (!Character.isHighSurrogate(text.charAt(last))) {
            return text;
        }
        openPairs.put(kind, text.substring(last));
        return text.substring(0, last);
    }

    private String takeHalf(OutputKind kind) {
        String half = openPairs.remove(kind);
        return half == null ? "" : half;
    }

    /** Passes on the text that was held back. Called at the end of the run. */
    void flush(BiConsumer<OutputKind, String> shown) {
        streams.forEach((kind, stream) -> {
            String rest = takeHalf(kind) + stream.finish();
            if (!rest.isEmpty()) {
                shown.accept(kind, rest);
            }
        });
    }

    String redact(String text) {
        return cachedRedactor.get().redact(text);
    }

    /**
     * Redacts the outcome, which is stored permanently, with the redactor that is current at the end of the run. May
     * wait for the store.
     */
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
