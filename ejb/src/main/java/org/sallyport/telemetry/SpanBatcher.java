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
import org.sallyport.otlp.FinishedSpan;
import org.sallyport.otlp.SpanSender;
import org.sallyport.otlp.SpanSender.ExportOutcome;
import org.sallyport.otlp.SpanSender.ExportResult;
import org.sallyport.secret.Redactor;

/** Makes spans of what is recorded, and requests of spans: page by page, so that a long trace is never whole in memory. */
public final class SpanBatcher {
    private static final int PAGE_SIZE = 500;

    private final SpanOutbox store;
    private final Journal journal;
    private final SpanSender sender;
    private final Function<String, Redactor> redactors;
    private final SpanBatchSettings settings;

    /**
     * What requests hold.
     *
     * @param maxSpans in one at most
     * @param captureValues whether arguments and results of calls are told
     * @param timeout for one request
     */
    public record SpanBatchSettings(int maxSpans, boolean captureValues, Duration timeout) {}

    /** @param redactions what must not be seen of a tenant */
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
     * What became of some.
     *
     * @param result the first that is not that they were taken
     * @param accepted spans that were
     * @param rejected spans of the last request, which were not
     */
    record SpanSendResult(ExportResult result, int accepted, int rejected) {}

    /** Sends the spans of these; waits for the store and the collector, for each request no longer than {@code nanos}. */
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
                List<TraceEvent> page;
                long after = 0;
                do {
                    page = journal.readTrace(execution.id(), after, PAGE_SIZE);
                    page.forEach(spans::add);
                    after = page.isEmpty() ? after : page.get(page.size() - 1).seq();
                } while (page.size() == PAGE_SIZE && request.isAccepting());
                spans.finish();
            });
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            // Otherwise it would stand in the way of all others for ever.
            System.getLogger(SpanBatcher.class.getName())
                    .log(Level.ERROR, "execution " + execution.id() + ": its spans cannot be made", e);
        }
    }

    /** Spans that wait to be sent together, again and again. */
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
