package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Optional;
import org.sallyport.execution.Execution;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.runner.TraceRedactor;

/** Reads pages of the traces and journals of executions, without the values of secrets. Thread-safe. */
@ApplicationScoped
class TraceReader {
    /** Maximum number of events in a page. */
    static final int MAX_EVENTS = 1_000;

    private static final long MAX_CHARS = 1L << 20;

    @Inject
    Journal journal;

    @Inject
    NestedExecutionStore nested;

    @Inject
    RedactionProvider redactions;

    /** Returns {@code {events, next}}: the events of the trace after the sequence number {@code after}. */
    ObjectNode readTrace(Execution execution, long after, int limit) {
        return page(execution, TracePage.read(journal::readTrace, execution.id(), after, limit, MAX_CHARS));
    }

    /** Like {@link #readTrace} with at most {@code maxChars} characters, but at least one event. */
    ObjectNode readTrace(Execution execution, long maxChars) {
        return page(execution, TracePage.read(journal::readTrace, execution.id(), 0, MAX_EVENTS, maxChars));
    }

    /** Returns {@code {events, next}}: the entries of the journal after the sequence number {@code after}. */
    ObjectNode readJournal(Execution execution, long after, int limit) {
        return page(execution, TracePage.read(journal::readEntries, execution.id(), after, limit, MAX_CHARS));
    }

    private ObjectNode page(Execution execution, TracePage page) {
        TraceRedactor shown =
                new TraceRedactor(redactions.redactorFor(execution.summary().tenant()));
        List<TraceEvent> events = page.events();
        ObjectNode body = ExecutionMapper.object();
        CapabilityCallIndex capabilityCalls = CapabilityCallIndex.of(nested, execution.id(), events);
        events.forEach(event -> {
            ObjectNode json = ExecutionMapper.event(shown.redact(event), capabilityCalls);
            ExecutionMapper.addCancellation(json, event, () -> Optional.of(execution));
            body.withArray("events").add(json);
        });
        body.withArray("events");
        Long next = page.more() ? events.get(events.size() - 1).seq() : null;
        body.put("next", next);
        return body;
    }
}
