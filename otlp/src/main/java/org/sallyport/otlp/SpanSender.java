package org.sallyport.otlp;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Takes spans to where they are looked at. Thread-safe. */
public interface SpanSender extends AutoCloseable {

    /**
     * What became of a request.
     *
     * @param outcome what it means for its spans
     * @param reason what went wrong, empty when nothing did
     */
    record ExportResult(ExportOutcome outcome, String reason) {
        /** The spans were taken. */
        public static final ExportResult SUCCESS = new ExportResult(ExportOutcome.TAKEN, "");
    }

    /** What a verdict means for the spans. */
    enum ExportOutcome {
        /** They were taken. */
        TAKEN,
        /** They may be taken another time. */
        AGAIN,
        /** They never will be. */
        REFUSED
    }

    /** Sends spans in one request; the stage never fails. */
    CompletionStage<ExportResult> send(List<FinishedSpan> spans);

    /** What is under way ends. */
    @Override
    void close();
}
