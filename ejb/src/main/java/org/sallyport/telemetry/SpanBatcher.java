package org.sallyport.telemetry;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.journal.TracePager;
import org.sallyport.otlp.FinishedSpan;
import org.sallyport.otlp.SpanSender;
import org.sallyport.otlp.SpanSender.ExportOutcome;
import org.sallyport.otlp.SpanSender.ExportResult;
import org.sallyport.redaction.Redactor;

/**
 * Builds spans from recorded events and sends them in batches. Reads page by page, so that a long trace is never
 * completely in memory.
 */
public final class SpanBatcher {

    private final SpanOutbox store;
    private final Journal journal;
    private final SpanSender sender;
    private final Function<String, Redactor> redactors;
    private final SpanBatchSettings settings;

    /**
     * Settings of a batch.
     *
     * @param maxSpans maximum number of spans of a request
     * @param captureValues whether to include arguments and results of calls
     * @param timeout timeout of a request
     */
    public record SpanBatchSettings(int maxSpans, boolean captureValues, Duration timeout) {}

    /** @param redactions redactors of the tenants */
    public SpanBatcher(
            SpanOutbox store,
            Journal journal,
            SpanSender sender,
            Function<String, Redactor> redactions,
            SpanBatchSettings content) {
        this.store = store;
        this.journal = journal;
        this.sender = sender;
        this.redactors = redactions;
        this.settings = content;
    }

    /**
     * Result of sending spans.
     *
     * @param result the first result other than success
     * @param accepted number of accepted spans
     * @param rejected number of spans of the last request, when it was rejected
     */
    record SpanSendResult(ExportResult result, int accepted, int rejected) {}

    /**
     * Sends the spans of these executions. Blocks on the store and the collector; each request takes at most
     * {@code nanos}.
     */
    SpanSendResult send(List<ExecutionId> ids, long nanos) {
        SpanBatchRequest request = new SpanBatchRequest(nanos);
        for (ExecutionId id : ids) {
            if (request.isAccepting()) {
                store.find(id).ifPresent(execution -> addSpans(execution, request));
            }
        }
        request.send();
        return new SpanSendResult(request.result, request.accepted, request.spans.size());
    }

    private void addSpans(Execution execution, SpanBatchRequest request) {
        try {
            execution.trace().ifPresent(trace -> {
                ExecutionSpanBuilder spans = new ExecutionSpanBuilder(
                        execution,
                        trace,
                        redactors.apply(execution.summary().tenant()),
                        settings.captureValues(),
                        request::add);
                TracePager pager = new TracePager(journal::readTrace, execution.id());
                List<TraceEvent> page;
                do {
                    page = pager.nextPage();
                    page.forEach(spans::add);
                } while (!page.isEmpty() && request.isAccepting());
                spans.finish();
            });
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            // An execution whose spans cannot be built must not block all others forever.
            System.getLogger(SpanBatcher.class.getName())
                    .log(Level.ERROR, "execution " + execution.id() + ": its spans could not be built; not sent", e);
        }
    }

    /** A request under construction; reused for each batch. */
    private final class SpanBatchRequest {
        private final long nanos;
        private final List<FinishedSpan> spans = new ArrayList<>();
        private ExportResult result = ExportResult.SUCCESS;
        private int accepted;

        SpanBatchRequest(long nanos) {
            this.nanos = Math.min(nanos, settings.timeout().plusSeconds(1).toNanos());
        }

        boolean isAccepting() {
            return result.outcome() == ExportOutcome.TAKEN;
        }

        void add(FinishedSpan span) {
            if (isAccepting()) {
                spans.add(span);
                if (spans.size() >= settings.maxSpans()) {
                    send();
                }
            }
        }

        void send() {
            if (spans.isEmpty() || !isAccepting()) {
                return;
            }
            result = awaitResult(List.copyOf(spans));
            if (isAccepting()) {
                accepted += spans.size();
                spans.clear();
            }
        }

        private ExportResult awaitResult(List<FinishedSpan> all) {
            try {
                return sender.send(all).toCompletableFuture().get(nanos, TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                return new ExportResult(ExportOutcome.AGAIN, "no answer in time");
            } catch (ExecutionException e) {
                return new ExportResult(ExportOutcome.AGAIN, String.valueOf(e.getMessage()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new ExportResult(ExportOutcome.AGAIN, "interrupted");
            }
        }
    }
}
