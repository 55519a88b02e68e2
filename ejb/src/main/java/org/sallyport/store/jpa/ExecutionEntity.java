package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.NamedNativeQuery;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.tool.Json;

/** The state and life cycle of an execution. Read only: {@link ExecutionStatements} inserts and changes it. */
@Entity
@Table(name = "execution")
@NamedNativeQuery(name = ExecutionStatements.INSERT, query = ExecutionStatements.INSERT_SQL)
@NamedNativeQuery(name = ExecutionStatements.MARK_RERUN, query = ExecutionStatements.MARK_RERUN_SQL)
@NamedNativeQuery(name = ExecutionStatements.MARK_CAPABILITY, query = ExecutionStatements.MARK_CAPABILITY_SQL)
@NamedNativeQuery(name = ExecutionStatements.MARK_SCRIPT, query = ExecutionStatements.MARK_SCRIPT_SQL)
@NamedNativeQuery(name = ExecutionStatements.CLAIM, query = ExecutionStatements.CLAIM_SQL)
@NamedNativeQuery(name = ExecutionStatements.APPEND, query = ExecutionStatements.APPEND_SQL)
@NamedNativeQuery(name = ExecutionStatements.RELEASE, query = ExecutionStatements.RELEASE_SQL)
@NamedNativeQuery(name = ExecutionStatements.PARK, query = ExecutionStatements.PARK_SQL)
@NamedNativeQuery(name = ExecutionStatements.NEXT_RESUME, query = ExecutionStatements.NEXT_RESUME_SQL)
@NamedNativeQuery(name = ExecutionStatements.RESUME, query = ExecutionStatements.RESUME_SQL)
@NamedNativeQuery(name = ExecutionStatements.REQUEUE, query = ExecutionStatements.REQUEUE_SQL)
@NamedNativeQuery(name = ExecutionStatements.REQUEUE_OWN, query = ExecutionStatements.REQUEUE_OWN_SQL)
@NamedNativeQuery(name = ExecutionStatements.MARK_ALONE, query = ExecutionStatements.MARK_ALONE_SQL)
@NamedNativeQuery(name = ExecutionStatements.UNMARK_ALONE, query = ExecutionStatements.UNMARK_ALONE_SQL)
@NamedNativeQuery(name = ExecutionStatements.MARK_REPLAYED, query = ExecutionStatements.MARK_REPLAYED_SQL)
@NamedNativeQuery(name = ExecutionStatements.FAIL_PENDING, query = ExecutionStatements.FAIL_PENDING_SQL)
@NamedNativeQuery(name = ExecutionStatements.FINISH, query = ExecutionStatements.FINISH_SQL)
@NamedNativeQuery(name = ExecutionStatements.PROGRESS, query = ExecutionStatements.PROGRESS_SQL)
@NamedNativeQuery(name = ExecutionStatements.BLOCKED_ATTEMPTS, query = ExecutionStatements.BLOCKED_ATTEMPTS_SQL)
@NamedNativeQuery(name = ExecutionStatements.CLOSE_TRACE, query = ExecutionStatements.CLOSE_TRACE_SQL)
@NamedNativeQuery(name = ExecutionStatements.CANCEL_IDLE, query = ExecutionStatements.CANCEL_IDLE_SQL)
@NamedNativeQuery(name = ExecutionStatements.TIME_OUT, query = ExecutionStatements.TIME_OUT_SQL)
@NamedNativeQuery(name = ExecutionStatements.REQUEST_CANCEL, query = ExecutionStatements.REQUEST_CANCEL_SQL)
@SuppressWarnings("NullAway.Init")
class ExecutionEntity {
    @Id
    @Column(name = "id")
    UUID id;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    @Column(name = "submitter")
    @Convert(converter = LosslessTextConverter.class)
    String submitter;

    @Column(name = "state")
    @Enumerated(EnumType.STRING)
    ExecutionState state;

    @Column(name = "language")
    @Enumerated(EnumType.STRING)
    ScriptLanguage language;

    @Column(name = "tier")
    @Enumerated(EnumType.STRING)
    @Nullable ScriptTier tier;

    @Column(name = "priority")
    int priority;

    @Column(name = "code_preview")
    @Convert(converter = LosslessTextConverter.class)
    String codePreview;

    @Column(name = "labels")
    @Convert(converter = JsonConverter.class)
    Json labels;

    @Column(name = "wall_millis")
    long wallMillis;

    @Column(name = "attempt")
    int attempt;

    @Column(name = "durability")
    String durability;

    @Column(name = "node_losses")
    int nodeLosses;

    @Column(name = "node_losses_alone")
    int lossesAlone;

    @Column(name = "runs_alone")
    boolean runsAlone;

    @Column(name = "replays_alone")
    boolean replaysAlone;

    @Column(name = "replay_losses")
    int replayLosses;

    @Column(name = "node")
    @Nullable String node;

    @Column(name = "cancel_requested")
    boolean cancelRequested;

    @Column(name = "cancelled_by")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String cancelledBy;

    @Column(name = "cancel_reason")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String cancelReason;

    @Column(name = "cancelled_at")
    @Nullable Instant cancelledAt;

    @Column(name = "error_code")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String errorCode;

    @Column(name = "progress_permille")
    @Nullable Integer progressPermille;

    @Column(name = "progress_text")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String progressText;

    @Column(name = "last_seq")
    long lastSeq;

    @Column(name = "out_length")
    long outLength;

    @Column(name = "err_length")
    long errLength;

    @Column(name = "journal_bytes")
    long journalBytes;

    @Column(name = "truncated")
    boolean truncated;

    /** A string, because EclipseLink cannot read a null UUID. */
    @Column(name = "rerun_of")
    @Nullable String rerunOf;

    @Column(name = "rerun_mode")
    @Enumerated(EnumType.STRING)
    RerunOrigin.@Nullable RerunMode rerunMode;

    @Column(name = "rerun_from")
    @Nullable Long rerunFrom;

    @Column(name = "rerun_edited")
    @Nullable Boolean rerunEdited;

    @Column(name = "parent")
    @Nullable String parent;

    @Column(name = "schedule_id")
    @Nullable String schedule;

    @Column(name = "batch_id")
    @Nullable String batch;

    @Column(name = "capability")
    @Nullable String capability;

    /** Null if it neither runs a saved script nor had its script saved, the common case. */
    @Column(name = "saved_script")
    @Nullable String savedScript;

    /** Null if the script tried nothing that it may not use, the common case. */
    @Column(name = "blocked_attempts")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String blockedAttempts;

    /** Null if the execution's calls cost nothing, the common case. */
    @Column(name = "cost")
    @Nullable Long cost;

    @Column(name = "created_at")
    Instant createdAt;

    @Column(name = "started_at")
    @Nullable Instant startedAt;

    @Column(name = "finished_at")
    @Nullable Instant finishedAt;

    @Column(name = "deadline_at")
    @Nullable Instant deadlineAt;

    @Column(name = "next_check_at")
    @Nullable Instant nextCheckAt;

    /** Null if the execution may start at once, the common case. */
    @Column(name = "not_before")
    @Nullable Instant notBefore;

    /** Null if the execution has no deadline of its own, the common case. */
    @Column(name = "ends_by")
    @Nullable Instant endsBy;

    /** Null if the execution may run concurrently with any other, the common case. */
    @Column(name = "concurrency_key")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String concurrencyKey;

    /** Null if the execution has no concurrency key. */
    @Column(name = "awaits_turn")
    @Nullable Boolean awaitsTurn;

    @Column(name = "waiting_for")
    @Nullable String waitingFor;

    @Column(name = "waiting_since")
    @Nullable Instant waitingSince;

    /** Null if the execution has no retry policy, the common case; so are the columns below. */
    @Column(name = "retry")
    @Nullable String retry;

    @Column(name = "retry_attempt")
    @Nullable Integer retryAttempt;

    @Column(name = "retry_first")
    @Nullable String retryFirst;

    @Column(name = "retry_of")
    @Nullable String retryOf;

    @Column(name = "retried_by")
    @Nullable String retriedBy;

    @Column(name = "not_retried")
    @Nullable String notRetried;

    protected ExecutionEntity() {}
}
