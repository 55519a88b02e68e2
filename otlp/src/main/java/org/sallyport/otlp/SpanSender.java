package org.sallyport.otlp;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Sends spans to a collector. Thread-safe. */
public interface SpanSender extends AutoCloseable {

    /**
     * Result of a request.
     *
     * @param outcome consequence for the spans
     * @param reason reason of a failure, empty on success
     */
    record ExportResult(ExportOutcome outcome, String reason) {
        /** The collector accepted the spans. */
        public static final ExportResult SUCCESS = new ExportResult(ExportOutcome.TAKEN, "");
    }

    /** Consequence of a result for the spans. */
    enum ExportOutcome {
        /** The collector accepted the spans. */
        TAKEN,
        /** The spans may be sent again. */
        AGAIN,
        /** The collector will never accept the spans. */
        REFUSED
    }

    /** Sends spans in one request. The stage never completes exceptionally. */
    CompletionStage<ExportResult> send(List<FinishedSpan> spans);

    /** Ends requests in progress. */
    @Override
    void close();
}
