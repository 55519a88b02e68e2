package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ErrorOrigin;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.tool.Json;

/**
 * The outcome of an execution that was not cancelled. The error code is in {@link ExecutionEntity}, because lists show
 * it.
 */
@Entity
@Table(name = "execution_outcome")
@SuppressWarnings("NullAway.Init")
class ExecutionOutcomeEntity {
    @Id
    @Column(name = "execution_id")
    UUID executionId;

    @Column(name = "result")
    @Convert(converter = JsonConverter.class)
    @Nullable Json result;

    @Column(name = "error_culprit")
    @Enumerated(EnumType.STRING)
    @Nullable ErrorOrigin culprit;

    @Column(name = "error_message")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String message;

    @Column(name = "error_line")
    @Nullable Integer line;

    @Column(name = "error_column")
    @Nullable Integer column;

    @Column(name = "error_stack")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String stack;

    @Column(name = "error_tool")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String tool;

    @Column(name = "error_call")
    @Nullable Long call;

    protected ExecutionOutcomeEntity() {}

    /** Returns the row for {@code outcome}; empty if the outcome has neither a result nor an error. */
    static Optional<ExecutionOutcomeEntity> of(UUID executionId, ExecutionOutcome outcome) {
        ExecutionOutcomeEntity row = new ExecutionOutcomeEntity();
        row.executionId = executionId;
        if (outcome instanceof ExecutionOutcome.ExecutionCompleted completed) {
            row.result = completed.result();
        } else {
            Optional<ExecutionError> error = errorOf(outcome);
            if (error.isEmpty()) {
                return Optional.empty();
            }
            row.setError(error.get());
        }
        return Optional.of(row);
    }

    static Optional<ExecutionError> errorOf(ExecutionOutcome outcome) {
        if (outcome instanceof ExecutionOutcome.ExecutionFailed failed) {
            return Optional.of(failed.error());
        }
        return outcome instanceof ExecutionOutcome.ExecutionTimedOut late
                ? Optional.of(late.error())
                : Optional.empty();
    }

    /** Returns the number of characters of the texts of {@code outcome}. */
    static long textLength(ExecutionOutcome outcome) {
        return outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text().length()
                : errorOf(outcome)
                        .map(error ->
                                (long) error.message().length() + error.stack().length())
                        .orElse(0L);
    }

    private void setError(ExecutionError error) {
        culprit = error.origin();
        message = error.message();
        line = error.line();
        column = error.column();
        stack = error.stack();
        tool = error.tool().orElse(null);
        call = error.call();
    }

    /** Returns the error with this code; empty if the row holds no error. */
    Optional<ExecutionError> toError(@Nullable String code) {
        if (code == null || culprit == null) {
            return Optional.empty();
        }
        return Optional.of(new ExecutionError(
                code,
                culprit,
                message == null ? "" : message,
                line == null ? 0 : line,
                column == null ? 0 : column,
                stack == null ? "" : stack,
                Optional.ofNullable(tool),
                call == null ? 0 : call));
    }
}
