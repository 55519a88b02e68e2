package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.NamedNativeQuery;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.approval.ApprovalState;
import org.sallyport.approval.ApprovalVote;
import org.sallyport.execution.ExecutionId;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.ReminderSchedule;
import org.sallyport.tool.Json;

/** An approval. {@link ApprovalStatements} inserts it; it is decided once. */
@Entity
@Table(name = "approval")
@NamedNativeQuery(name = ApprovalStatements.ASK, query = ApprovalStatements.ASK_SQL)
@NamedNativeQuery(name = ApprovalStatements.EXPIRED, query = ApprovalStatements.EXPIRED_SQL)
@NamedNativeQuery(name = ApprovalStatements.PARKED, query = ApprovalStatements.PARKED_SQL)
@NamedNativeQuery(name = ApprovalStatements.UNNOTIFIED, query = ApprovalStatements.UNNOTIFIED_SQL)
@NamedNativeQuery(name = ApprovalStatements.TO_REMIND, query = ApprovalStatements.TO_REMIND_SQL)
@NamedNativeQuery(name = ApprovalStatements.NOW, query = ApprovalStatements.NOW_SQL)
@SuppressWarnings("NullAway.Init")
class ApprovalEntity {
    @Id
    @Column(name = "id")
    UUID id;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    @Column(name = "execution_id")
    UUID executionId;

    @Column(name = "call_ordinal")
    long call;

    @Column(name = "kind")
    @Enumerated(EnumType.STRING)
    ApprovalKind kind;

    @Column(name = "round")
    int round;

    @Column(name = "tool")
    @Convert(converter = LosslessTextConverter.class)
    String tool;

    @Column(name = "arguments")
    @Convert(converter = JsonConverter.class)
    Json arguments;

    @Column(name = "hash")
    String hash;

    @Column(name = "rule")
    @Convert(converter = LosslessTextConverter.class)
    String rule;

    @Column(name = "reason")
    @Convert(converter = LosslessTextConverter.class)
    String reason;

    @Column(name = "approvers")
    int approvers;

    @Column(name = "at_expiry")
    @Enumerated(EnumType.STRING)
    ApprovalTerms.ExpiryAction.ExpiryActionKind atExpiry;

    @Column(name = "value_at_expiry")
    @Convert(converter = JsonConverter.class)
    @Nullable Json valueAtExpiry;

    @Column(name = "timeout_millis")
    long timeoutMillis;

    @Column(name = "requester")
    @Convert(converter = LosslessTextConverter.class)
    String requester;

    @Column(name = "state")
    @Enumerated(EnumType.STRING)
    ApprovalState state;

    @Column(name = "created_at")
    Instant createdAt;

    @Column(name = "expires_at")
    Instant expiresAt;

    @Column(name = "decided_at")
    @Nullable Instant decidedAt;

    @Column(name = "decided_by")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String decidedBy;

    @Column(name = "note")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String note;

    @Column(name = "edited")
    @Convert(converter = JsonConverter.class)
    @Nullable Json edited;

    @Column(name = "result")
    @Convert(converter = JsonConverter.class)
    @Nullable Json result;

    @Column(name = "whole_execution")
    boolean wholeExecution;

    @Column(name = "notified")
    boolean notified;

    @Column(name = "remind_before_millis")
    long remindBeforeMillis;

    @Column(name = "remind_every_millis")
    long remindEveryMillis;

    @Column(name = "remind_times")
    int remindTimes;

    @Column(name = "remind_at")
    @Nullable Instant remindAt;

    @Column(name = "reminded")
    int reminded;

    @Column(name = "reminded_at")
    @Nullable Instant remindedAt;

    protected ApprovalEntity() {}

    /** @param now the database's time */
    void decide(ApprovalState decided, ApprovalVote ballot, Instant now) {
        state = decided;
        decidedAt = now;
        decidedBy = ballot.voter();
        note = ballot.note();
        edited = ballot.editedArguments().orElse(null);
        result = ballot.result().orElse(null);
        wholeExecution = ballot.approve() && ballot.wholeExecution();
        remindAt = null;
    }

    /** @param now the database's time */
    void recordReminder(Instant now) {
        reminded++;
        remindedAt = now;
        remindAt = reminders().nextAfter(now, expiresAt).orElse(null);
    }

    private ReminderSchedule reminders() {
        return new ReminderSchedule(
                Duration.ofMillis(remindBeforeMillis), Duration.ofMillis(remindEveryMillis), remindTimes);
    }

    /**
     * Returns the kind to store: {@code DENY} instead of {@code VALUE}, because nodes of the previous version do not
     * know {@code VALUE} and deny when the approval expires.
     */
    static ApprovalTerms.ExpiryAction.ExpiryActionKind kindAtExpiry(ApprovalTerms.ExpiryAction atExpiry) {
        return atExpiry.kind() == ApprovalTerms.ExpiryAction.ExpiryActionKind.VALUE
                ? ApprovalTerms.ExpiryAction.ExpiryActionKind.DENY
                : atExpiry.kind();
    }

    /** @param voters the people who voted yes */
    Approval toApproval(List<String> voters) {
        ApprovalRequest question = new ApprovalRequest(
                new ExecutionId(executionId),
                call,
                kind,
                round,
                TraceEventMapper.toolName(tool),
                arguments,
                rule,
                new ApprovalTerms(
                        approvers,
                        Duration.ofMillis(timeoutMillis),
                        valueAtExpiry == null
                                ? new ApprovalTerms.ExpiryAction(atExpiry, Optional.empty())
                                : ApprovalTerms.ExpiryAction.value(valueAtExpiry),
                        reason,
                        reminders()));
        Optional<Approval.ApprovalDecision> decision = decidedAt == null
                ? Optional.empty()
                : Optional.of(new Approval.ApprovalDecision(
                        decidedBy == null ? "" : decidedBy,
                        decidedAt,
                        note == null ? "" : note,
                        Optional.ofNullable(edited),
                        Optional.ofNullable(result)));
        return new Approval(
                id,
                question,
                hash,
                requester,
                state,
                createdAt,
                expiresAt,
                voters,
                decision,
                new Approval.ReminderStatus(reminded, Optional.ofNullable(remindedAt), Optional.ofNullable(remindAt)));
    }
}
