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
import org.sallyport.otlp.SpanSender.Outcome;
import org.sallyport.otlp.SpanSender.Verdict;
import org.sallyport.secret.Redaction;

/** Makes spans of what is recorded, and requests of spans: page by page, so that a long trace is never whole in memory. */
public final class Parcels {
    private static final int PAGE = 500;

    private final SpanStore store;
    private final Journal journal;
    private final SpanSender sender;
    private final Function<String, Redaction> redactions;
    private final Content content;

    /**
     * What requests hold.
     *
     * @param spans in one at most
     * @param values whether arguments and results of calls are told
     * @param timeout for one request
     */
    public record Content(int spans, boolean values, Duration timeout) {}

    /** @param redactions what must not be seen of a tenant */
    public Parcels(
            SpanStore store,
            Journal journal,
            SpanSender sender,
            Function<String, Redaction> redactions,
            Content content) {
        this.store = store;
        this.journal = journal;
        this.sender = sender;
        this.redactions = redactions;
        this.content = content;
    }

    /**
     * What became of some.
     *
     * @param verdict the first that is not that they were taken
     * @param taken spans that were
     * @param refused spans of the last request, which were not
     */
    record Sent(Verdict verdict, int taken, int refused) {}

    /** Sends the spans of these; waits for the store and the collector, for each request no longer than {@code nanos}. */
    Sent send(List<ExecutionId> ids, long nanos) {
        Request request = new Request(nanos);
        for (ExecutionId id : ids) {
            if (request.goesOn()) {
                store.find(id).ifPresent(execution -> add(execution, request));
            }
        }
        request.send();
        return new Sent(request.verdict, request.taken, request.spans.size());
    }

    private void add(Execution execution, Request request) {
        try {
            execution.trace().ifPresent(trace -> {
                ExecutionSpans spans = new ExecutionSpans(
                        execution,
                        trace,
                        redactions.apply(execution.summary().tenant()),
                        content.values(),
                        request::add);
                List<TraceEvent> page;
                long after = 0;
                do {
                    page = journal.trace(execution.id(), after, PAGE);
                    page.forEach(spans::add);
                    after = page.isEmpty() ? after : page.get(page.size() - 1).seq();
                } while (page.size() == PAGE && request.goesOn());
                spans.finish();
            });
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            // Otherwise it would stand in the way of all others for ever.
            System.getLogger(Parcels.class.getName())
                    .log(Level.ERROR, "execution " + execution.id() + ": its spans cannot be made", e);
        }
    }

    /** Spans that wait to be sent together, again and again. */
    private final class Request {
        private final long nanos;
        private final List<FinishedSpan> spans = new ArrayList<>();
        private Verdict verdict = Verdict.TAKEN;
        private int taken;

        Request(long nanos) {
            this.nanos = Math.min(nanos, content.timeout().plusSeconds(1).toNanos());
        }

        boolean goesOn() {
            return verdict.outcome() == Outcome.TAKEN;
        }

        void add(FinishedSpan span) {
            if (goesOn()) {
                spans.add(span);
                if (spans.size() >= content.spans()) {
                    send();
                }
            }
        }

        void send() {
            if (spans.isEmpty() || !goesOn()) {
                return;
            }
            verdict = answer(List.copyOf(spans));
            if (goesOn()) {
                taken += spans.size();
                spans.clear();
            }
        }

        private Verdict answer(List<FinishedSpan> all) {
            try {
                return sender.send(all).toCompletableFuture().get(nanos, TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                return new Verdict(Outcome.AGAIN, "no answer in time");
            } catch (ExecutionException e) {
                return new Verdict(Outcome.AGAIN, String.valueOf(e.getMessage()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new Verdict(Outcome.AGAIN, "interrupted");
            }
        }
    }
}
