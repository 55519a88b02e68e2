package org.sallyport.execution;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Summary of an execution, as shown in lists.
 *
 * @param id its id
 * @param tenant the owning tenant
 * @param submitter id of the caller who submitted it; of a nested execution, the submitter of its outermost execution
 * @param state its state when it was read
 * @param language the script's language
 * @param tier the tier that runs it
 * @param codePreview the first characters of the script, on one line
 * @param priority 0 to 9
 * @param attempt how often a runner has claimed it
 * @param labels the submitter's labels
 * @param errorCode why it did not complete
 * @param createdAt when it was accepted
 * @param startedAt when a runner first claimed it
 * @param finishedAt when it reached its terminal state
 * @param rerunOf the original, if this is a re-run
 * @param batch the batch with which it was submitted, if any
 * @param capability the published script that it runs, if any
 * @param parent the execution that waits for its result, if any
 * @param savedScript the name of the saved script that it runs, or under which its script was saved when it completed
 * @param schedule id of the schedule that started it, if any
 */
public record ExecutionSummary(
        ExecutionId id,
        String tenant,
        String submitter,
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
        Optional<ExecutionId> parent,
        Optional<String> savedScript,
        Optional<UUID> schedule) {
    public ExecutionSummary {
        labels = Map.copyOf(labels);
    }

    /** Creates a summary without capability, parent, saved script and schedule. */
    public ExecutionSummary(
            ExecutionId id,
            String tenant,
            String submitter,
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
                submitter,
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
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
