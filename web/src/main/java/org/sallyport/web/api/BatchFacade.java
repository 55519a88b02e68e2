package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.ByteArrayInputStream;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.sallyport.auth.Caller;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchStore;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.UnknownWriteRepeater;
import org.sallyport.runner.CancellationService;
import org.sallyport.submission.BatchRequest;
import org.sallyport.submission.BatchService;
import org.sallyport.submission.BatchSubmissionResult;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.async.RequestMemory;

/**
 * Application service for batches, shared by REST and MCP. Throws {@link ProblemException} if a request is refused.
 * Thread-safe.
 */
@ApplicationScoped
public class BatchFacade {
    private static final String ITEMS = "items";

    @Inject
    BatchService batches;

    @Inject
    BatchStore store;

    @Inject
    BatchReader reader;

    @Inject
    BatchItemPages pages;

    @Inject
    CancellationService canceller;

    @Inject
    RequestMemory memory;

    /**
     * Submits the batch that {@code body} describes, in the form of {@code POST /batches}. Instead of {@code items},
     * the body may have {@code rows}, an array whose values are the arguments of one run of {@code capability} each, or
     * {@code csv}, a text with such rows.
     *
     * @param idempotencyKey the caller's idempotency key
     */
    public BatchId submit(Caller caller, ObjectNode body, Optional<String> idempotencyKey) {
        memory.reserveCopy();
        BatchBody parts = BatchBody.of(body);
        Optional<String> key = RequestParameters.idempotencyKey(idempotencyKey.orElse(null));
        try (SpooledBody spooled = reader.spool(caller, new ByteArrayInputStream(parts.bytes()))) {
            return submit(caller, parts.format(), parts, spooled, key).id();
        }
    }

    /**
     * Submits a batch, or finds the batch of an earlier request with the same key.
     *
     * @param options the options that are not in the body
     * @param key the caller's idempotency key
     */
    BatchSubmissionResult.BatchAccepted submit(
            Caller caller, BatchFormat format, BatchOptions options, SpooledBody body, Optional<String> key) {
        Optional<IdempotencyKey> idempotency = key.map(text -> batches.inValidationSlot(
                        () -> reader.idempotencyKey(format, options, body, text))
                .orElseThrow(() -> new ProblemException(problem(new BatchSubmissionResult.BatchServiceBusy()))));
        // The earlier batch first, because a capability that the request names may have changed since.
        return accepted(idempotency
                .flatMap(known -> batches.findEarlier(caller, known))
                .orElseGet(() -> batches.submit(caller, reader.read(caller, format, options, body, idempotency))));
    }

    /**
     * Checks a batch without storing it, in the form of {@code POST /batches/validate}.
     *
     * @param options the options that are not in the body
     */
    ObjectNode validate(Caller caller, BatchFormat format, BatchOptions options, SpooledBody body) {
        BatchRequest request = reader.read(caller, format, options, body, Optional.empty());
        BatchSubmissionResult result = batches.validate(caller, request);
        if (result instanceof BatchSubmissionResult.BatchChecked checked) {
            return BatchValidationMapper.toJson(request, checked);
        }
        throw new ProblemException(problem(result));
    }

    /** Runs the failed executions of a batch again, as a new batch. */
    BatchSubmissionResult.BatchAccepted retry(Caller caller, BatchId id) {
        return accepted(batches.retry(caller, id));
    }

    private static BatchSubmissionResult.BatchAccepted accepted(BatchSubmissionResult result) {
        if (result instanceof BatchSubmissionResult.BatchAccepted accepted) {
            return accepted;
        }
        throw new ProblemException(problem(result));
    }

    /** The problem why a batch was not stored, or is not known to be. */
    static Problem problem(BatchSubmissionResult refusal) {
        if (refusal instanceof BatchSubmissionResult.RefusedAsSubmission one) {
            return SubmissionProblems.toProblem(one.refusal());
        } else if (refusal instanceof BatchSubmissionResult.BatchAboveQuota above) {
            return SubmissionProblems.toProblem(above.refusal());
        } else if (refusal instanceof BatchSubmissionResult.WrongBatchSize size) {
            return size.count() == 0
                    ? Problem.of(ProblemType.VALIDATION, "the batch has no items")
                    : Problem.of(
                            ProblemType.PAYLOAD_TOO_LARGE,
                            "the batch has more than " + size.max() + " items",
                            members -> members.put("member", ITEMS).put("limit", size.max()));
        } else if (refusal instanceof BatchSubmissionResult.BatchRefused refused) {
            return Problem.of(
                    ProblemType.BATCH_REFUSED,
                    refused.problems().size() + " of the items cannot be accepted, and the batch is atomic",
                    members -> refused.problems().forEach((index, problem) -> {
                        ObjectNode item = members.withArray(ITEMS).addObject().put("index", index);
                        item.set("problem", ExecutionMapper.raw(problem));
                    }));
        } else if (refusal instanceof BatchSubmissionResult.BatchOutcomeUnknown unknown) {
            return OutcomeProblems.unknown(unknown.id());
        } else if (refusal instanceof BatchSubmissionResult.BatchServiceBusy) {
            return Problem.of(ProblemType.RATE_LIMITED, "other batches are being stored; try again shortly");
        } else if (refusal instanceof BatchSubmissionResult.BatchSuperseded) {
            return Problem.of(ProblemType.UNAVAILABLE, "the schedule was changed at the same time; try again");
        } else if (refusal instanceof BatchSubmissionResult.NoFailedItems) {
            return Problem.of(ProblemType.NOTHING_TO_RETRY, "no execution of the batch has failed");
        }
        return Problem.of(ProblemType.NOT_FOUND, "there is no such batch");
    }

    /**
     * The caller's batch.
     *
     * @throws ProblemException if there is none with this id
     */
    Batch find(Caller caller, String id) {
        return BatchId.parse(id)
                .flatMap(batch -> store.find(caller.tenant(), batch))
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND, "there is no batch '" + RequestContexts.abbreviate(id) + "'"));
    }

    /** The caller's batch, in the form of {@code GET /batches/{id}}. */
    public ObjectNode show(Caller caller, String id) {
        return show(find(caller, id));
    }

    /**
     * Shows a batch that was just stored.
     *
     * @throws ProblemException if the database does not answer; it says that the batch is stored
     */
    <T> T showStored(BatchId id, Supplier<T> shown) {
        try {
            return shown.get();
        } catch (StoreUnavailableException e) {
            throw new ProblemException(OutcomeProblems.stored(id));
        }
    }

    ObjectNode show(Batch batch) {
        return BatchMapper.batch(batch, store.countByState(batch.id()));
    }

    /** Cancels the executions of the batch that have not ended, and returns the batch. */
    public ObjectNode cancel(Caller caller, String id, Optional<String> reason) {
        Batch batch = find(caller, id);
        CancelRequest request = CancelRequest.by(caller.id(), reason);
        UnknownWriteRepeater.repeatIfUnknown(() -> store.cancelNotRunning(caller.tenant(), batch.id(), request))
                .forEach(execution -> canceller.cancel(caller.tenant(), execution, request));
        return show(caller, id);
    }

    /** How many items of a batch have ended. */
    public record BatchCounts(int ended, int total) {
        /** Whether all items have ended. */
        public boolean isFinished() {
            return ended == total;
        }
    }

    /** The progress of the caller's batch. */
    public BatchCounts counts(Caller caller, String id) {
        Batch batch = find(caller, id);
        int live = store.countByState(batch.id()).entrySet().stream()
                .filter(count -> !count.getKey().isTerminal())
                .mapToInt(Map.Entry::getValue)
                .sum();
        return new BatchCounts(batch.total() - live, batch.total());
    }

    /** One page of the items of the caller's batch, in the form of {@code GET /batches/{id}/items}. */
    public ObjectNode items(Caller caller, String id, BatchItemQuery query) {
        return pages.read(caller, find(caller, id), query);
    }
}
