package org.sallyport.otlp;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Takes spans to where they are looked at. Thread-safe. */
public interface SpanSender extends AutoCloseable {

    /**
     * What became of a request.
     *
     * @param outcome what it means for its spans
     * @param why what went wrong, empty when nothing did
     */
    record Verdict(Outcome outcome, String why) {
        /** The spans were taken. */
        public static final Verdict TAKEN = new Verdict(Outcome.TAKEN, "");
    }

    /** What a verdict means for the spans. */
    enum Outcome {
        /** They were taken. */
        TAKEN,
        /** They may be taken another time. */
        AGAIN,
        /** They never will be. */
        REFUSED
    }

    /** Sends spans in one request; the stage never fails. */
    CompletionStage<Verdict> send(List<FinishedSpan> spans);

    /** What is under way ends. */
    @Override
    void close();
}
