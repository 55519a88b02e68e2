package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.JournalSize;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;

/** One trace event; which columns are set depends on its type. {@link TraceEventMapper} reads them back. */
@Entity
@IdClass(TraceEventEntity.TraceEventPrimaryKey.class)
@Table(name = "trace_event")
@SuppressWarnings("NullAway.Init")
class TraceEventEntity {
    static final String TOOL_STARTED = "TOOL_STARTED";
    static final String TOOL_ENDED = "TOOL_ENDED";
    static final String STATE_CHANGED = "STATE_CHANGED";
    static final String RECORDED = "RECORDED";
    static final String JUDGED = "JUDGED";
    static final String ASKED = "ASKED";
    static final String DECIDED = "DECIDED";
    static final String ANSWERED = "ANSWERED";

    @Id
    @Column(name = "execution_id")
    UUID executionId;

    @Id
    @Column(name = "seq")
    long seq;

    @Column(name = "type")
    String type;

    @Column(name = "at")
    Instant at;

    /** Bytes of the event, as {@link JournalSize} counts them. */
    @Column(name = "size_bytes")
    long sizeBytes;

    @Column(name = "call_ordinal")
    @Nullable Long call;

    @Column(name = "tool")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String tool;

    @Column(name = "arguments")
    @Convert(converter = JsonConverter.class)
    @Nullable Json arguments;

    @Column(name = "result")
    @Convert(converter = JsonConverter.class)
    @Nullable Json result;

    @Column(name = "error_code")
    @Nullable String errorCode;

    @Column(name = "error_message")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String errorMessage;

    @Column(name = "error_details")
    @Convert(converter = JsonConverter.class)
    @Nullable Json errorDetails;

    @Column(name = "duration_millis")
    @Nullable Long durationMillis;

    @Column(name = "queue_millis")
    @Nullable Long queueMillis;

    @Column(name = "state")
    @Nullable String state;

    @Column(name = "attempt")
    @Nullable Integer attempt;

    @Column(name = "notes")
    @Nullable String notes;

    @Column(name = "replayed")
    @Nullable Boolean replayed;

    /** Text instead of a UUID column, because EclipseLink cannot read a null UUID. */
    @Column(name = "approval")
    @Nullable String approval;

    @Column(name = "approval_kind")
    @Nullable String approvalKind;

    @Column(name = "rule")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String rule;

    @Column(name = "decider")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String decider;

    protected TraceEventEntity() {}

    TraceEventEntity(ExecutionId execution, TraceEvent event) {
        executionId = execution.value();
        seq = event.seq();
        at = event.at();
        sizeBytes = JournalSize.ofEntry(event);
        if (event instanceof TraceEvent.ToolStarted started) {
            type = TOOL_STARTED;
            call = started.call();
            tool = started.tool().toString();
            arguments = started.arguments();
            replayed = started.replayed() ? true : null;
        } else if (event instanceof TraceEvent.ToolEnded ended) {
            type = TOOL_ENDED;
            call = ended.call();
            tool = ended.tool().toString();
            durationMillis = ended.durationMillis();
            queueMillis = ended.queueMillis();
            result = ended.result().orElse(null);
            ended.error().ifPresent(this::setError);
            replayed = ended.replayed() ? true : null;
            attempt = ended.attempts() == 1 ? null : ended.attempts();
            notes = ended.connectorReport().map(TraceEventMapper::served).orElse(null);
        } else if (event instanceof TraceEvent.StateChanged changed) {
            type = STATE_CHANGED;
            state = changed.state().name();
            attempt = changed.attempt();
        } else if (event instanceof TraceEvent.ReplayLogRecorded recorded) {
            type = RECORDED;
            notes = recorded.replayLog();
        } else if (event instanceof TraceEvent.CachedResultUsed answered) {
            type = ANSWERED;
            notes = answered.from().toString();
        } else {
            setDecisionFields(event);
        }
    }

    private void setDecisionFields(TraceEvent event) {
        if (event instanceof TraceEvent.PolicyDecided judged) {
            type = JUDGED;
            call = judged.call();
            tool = judged.tool().toString();
            rule = judged.rule();
            state = judged.decision();
        } else if (event instanceof TraceEvent.ApprovalRequested asked) {
            type = ASKED;
            call = asked.call();
            tool = asked.tool().toString();
            approval = asked.approval().toString();
            approvalKind = asked.kind().name();
        } else if (event instanceof TraceEvent.ApprovalDecided decided) {
            type = DECIDED;
            call = decided.call();
            tool = decided.tool().toString();
            approval = decided.approval().toString();
            approvalKind = decided.kind().name();
            state = decided.state().name();
            decider = decided.decidedBy();
            notes = LosslessText.encode(decided.note());
            arguments = decided.editedArguments().orElse(null);
        } else {
            throw new IllegalArgumentException("no column for " + event.getClass());
        }
    }

    private void setError(ToolError error) {
        errorCode = error.code().code();
        errorMessage = error.message();
        errorDetails = error.details().orElse(null);
    }

    /** Primary key class, as JPA requires it. */
    static class TraceEventPrimaryKey {
        UUID executionId;
        long seq;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof TraceEventPrimaryKey key && key.seq == seq && key.executionId.equals(executionId);
        }

        @Override
        public int hashCode() {
            return executionId.hashCode() * 31 + Long.hashCode(seq);
        }
    }
}
