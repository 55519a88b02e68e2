package org.sallyport.execution;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What a list shows of an execution.
 *
 * @param id its id
 * @param tenant whose it is
 * @param state its state when it was read
 * @param language the script's language
 * @param tier the way it is run
 * @param codePreview the first characters of the script, on one line
 * @param priority 0 to 9
 * @param attempt how often a runner has claimed it
 * @param labels the submitter's marks
 * @param errorCode why it did not complete
 * @param createdAt when it was accepted
 * @param startedAt when a runner first claimed it
 * @param finishedAt when it reached its terminal state
 * @param rerunOf what it is a re-run of, if it is one
 * @param batch the batch it was submitted with, if it was
 * @param capability the published script that it runs, if it is one
 * @param parent the execution that waits for its result, if one does
 */
public record ExecutionSummary(
        ExecutionId id,
        String tenant,
        ExecutionState state,
        ScriptLanguage language,
        ScriptTier tier,
        String codePreview,
        int priority,
        int attempt,
        Map<String, String> labels,
        Optional<String> errorCode,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> finishedAt,
        Optional<ExecutionId> rerunOf,
        Optional<BatchId> batch,
        Optional<CapabilityRef> capability,
        Optional<ExecutionId> parent) {
    public ExecutionSummary {
        labels = Map.copyOf(labels);
    }

    /** One that runs no capability, and that nobody nested. */
    public ExecutionSummary(
            ExecutionId id,
            String tenant,
            ExecutionState state,
            ScriptLanguage language,
            ScriptTier tier,
            String codePreview,
            int priority,
            int attempt,
            Map<String, String> labels,
            Optional<String> errorCode,
            Instant createdAt,
            Optional<Instant> startedAt,
            Optional<Instant> finishedAt,
            Optional<ExecutionId> rerunOf,
            Optional<BatchId> batch) {
        this(
                id,
                tenant,
                state,
                language,
                tier,
                codePreview,
                priority,
                attempt,
                labels,
                errorCode,
                createdAt,
                startedAt,
                finishedAt,
                rerunOf,
                batch,
                Optional.empty(),
                Optional.empty());
    }
}
