package org.sallyport.submission;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.sallyport.auth.Caller;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.batch.BatchInsertResult;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.configuration.BatchSettings;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.UnknownWriteRepeater;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.policy.ReadOnlyGrantChecker;
import org.sallyport.tool.Json;

/**
 * Accepts batches: checks all scripts, stores all executions in one local transaction, then sends the jobs. Blocks.
 * Only a few batches are stored at the same time, because each holds a database connection meanwhile; as many are
 * checked. Thread-safe.
 */
public final class BatchService {
    private static final Duration SLOT_TIMEOUT = Duration.ofSeconds(20);
    private static final int FAILED_PAGE_SIZE = 100;

    private final Configuration configuration;
    private final SubmissionService reception;
    private final SavedScriptRunService scripts;
    private final CapabilityRunService capabilities;
    private final ReadOnlyGrantChecker grantChecker;
    private final RerunService reruns;
    private final ExecutionIdGenerator ids;
    private final ExecutionStore executions;
    private final BatchStore store;
    private final BatchScheduler scheduler;
    private final BatchSlots submissionSlots;
    private final BatchSlots validationSlots;

    public BatchService(
            Configuration configuration,
            SubmissionService reception,
            SavedScriptRunService scripts,
            CapabilityRunService capabilities,
            ReadOnlyGrantChecker grantChecker,
            RerunService reruns,
            ExecutionIdGenerator ids,
            ExecutionStore executions,
            BatchStore store,
            BatchScheduler flow) {
        this.configuration = configuration;
        this.reception = reception;
        this.scripts = scripts;
        this.capabilities = capabilities;
        this.grantChecker = grantChecker;
        this.reruns = reruns;
        this.ids = ids;
        this.executions = executions;
        this.store = store;
        this.scheduler = flow;
        int slots = Math.max(1, configuration.getInt(Settings.DB_POOL_SIZE) / 4);
        this.submissionSlots = new BatchSlots(slots, SLOT_TIMEOUT);
        this.validationSlots = new BatchSlots(slots, SLOT_TIMEOUT);
    }

    /**
     * Stores a batch or returns the reason for the refusal. Throws {@link StoreUnavailableException} when nothing is
     * stored. When that is unknown, the result is {@link BatchSubmissionResult.BatchOutcomeUnknown}.
     */
    public BatchSubmissionResult submit(Caller caller, BatchRequest request) {
        return submit(caller, request, store::insert);
    }

    /** Stores a batch with all its items, or nothing; see {@link BatchStore#insert}. */
    @FunctionalInterface
    interface BatchInserter {
        BatchInsertResult insert(NewBatch batch, Iterator<NewBatchItem> items);
    }

    /** Does the same with another way to store the batch. */
    BatchSubmissionResult submit(Caller caller, BatchRequest request, BatchInserter inserter) {
        return withCheckedItems(
                submissionSlots, caller, request, checked -> storeWithinQuota(caller, request, checked, inserter));
    }

    /** Returns why no batch of the caller can be accepted now, without a check of its items. */
    Optional<SubmissionResult> findExhaustedQuota(Caller caller) {
        return reception.findExhaustedQuota(caller);
    }

    /** Checks a batch as {@link #submit} does, and stores nothing. */
    public BatchSubmissionResult validate(Caller caller, BatchRequest request) {
        return withCheckedItems(
                validationSlots,
                caller,
                request,
                checked -> new BatchSubmissionResult.BatchChecked(
                        request.items().count(),
                        checked.validator().countAnswered(),
                        checked.validator().problems()));
    }

    /** The items of a batch after their check. */
    private record CheckedItems(BatchItemResolver resolver, BatchCoalescing coalescing, BatchValidator validator) {}

    private BatchSubmissionResult withCheckedItems(
            BatchSlots slots, Caller caller, BatchRequest request, Function<CheckedItems, BatchSubmissionResult> then) {
        int maxItems = configuration.getInt(BatchSettings.MAX_ITEMS);
        int count = request.items().count();
        if (count < 1 || count > maxItems) {
            return new BatchSubmissionResult.WrongBatchSize(count, maxItems);
        }
        return inSlot(slots, () -> {
            BatchCoalescing coalescing =
                    request.coalesce() ? new BatchCoalescing(grantChecker, caller) : BatchCoalescing.none(caller);
            // The script of rows was accepted when the capability was published.
            boolean scriptWasAccepted = !request.columns().isEmpty();
            BatchValidator validator = new BatchValidator(request.items(), coalescing, scriptWasAccepted);
            BatchItemResolver resolver = new BatchItemResolver(scripts, capabilities, caller);
            validator.validate(reception, resolver, caller);
            return validator
                    .unavailable()
                    .<BatchSubmissionResult>map(BatchSubmissionResult.RefusedAsSubmission::new)
                    .orElseGet(() -> then.apply(new CheckedItems(resolver, coalescing, validator)));
        });
    }

    /** Returns the result of an earlier request with this key; empty if there was none. */
    public Optional<BatchSubmissionResult> findEarlier(Caller caller, IdempotencyKey key) {
        return store.findByIdempotencyKey(caller.tenant(), key).map(BatchService::toResult);
    }

    private BatchSubmissionResult storeWithinQuota(
            Caller caller, BatchRequest request, CheckedItems checked, BatchInserter inserter) {
        BatchValidator verdicts = checked.validator();
        if (request.atomic() && !verdicts.problems().isEmpty()) {
            return new BatchSubmissionResult.BatchRefused(verdicts.problems());
        }
        int wanted = verdicts.countRuns();
        int room = reception.remainingQuota(caller, wanted);
        if (room < wanted && (room == 0 || request.atomic())) {
            SubmissionResult refusal = reception.quotaExceeded(caller);
            return request.atomic()
                    ? refusedByQuota(wanted, refusal)
                    : new BatchSubmissionResult.RefusedAsSubmission(refusal);
        }
        verdicts.refuseBeyond(room, reception.quotaExceeded(caller));
        // A batch that stops on failure needs a bound: if all its executions were under way, none would be left to
        // stop.
        Optional<Integer> parallel = request.maxParallel()
                .or(() -> request.onFailure() == BatchFailurePolicy.STOP
                        ? Optional.of(configuration.getInt(BatchSettings.DEFAULT_PARALLELISM))
                        : Optional.empty());
        NewBatch batch = new NewBatch(
                new BatchId(ids.next().value()),
                caller.tenant(),
                caller.id(),
                parallel,
                request.onFailure(),
                Optional.empty(),
                request.capability(),
                request.columns(),
                request.idempotency());
        return withinQuota(
                caller,
                verdicts.countRuns(),
                () -> store(batch, new ValidatedItemIterator(caller, request, checked), inserter));
    }

    /** Iterates over the validated items. Reads the items a second time, because they are not kept in memory. */
    private final class ValidatedItemIterator implements Iterator<NewBatchItem> {
        private final Caller caller;
        private final BatchRequest request;
        private final BatchItemResolver itemResolver;
        private final Iterator<BatchRequest.BatchRequestEntry> items;
        private final BatchValidator validator;
        private final Map<Integer, Json> problems;
        private final BatchCoalescing coalescing;
        private final Map<Integer, ExecutionId> executionOf = new HashMap<>();
        private int index;

        ValidatedItemIterator(Caller caller, BatchRequest request, CheckedItems checked) {
            this.caller = caller;
            this.request = request;
            this.itemResolver = checked.resolver();
            this.items = request.items().read();
            this.validator = checked.validator();
            this.problems = validator.problems();
            this.coalescing = checked.coalescing();
        }

        @Override
        public boolean hasNext() {
            return items.hasNext();
        }

        @Override
        public NewBatchItem next() {
            BatchRequest.BatchRequestEntry entry = items.next();
            BatchRequest.BatchRequestItem item = entry.item();
            int number = index++;
            Json problem = problems.get(number);
            if (problem != null) {
                return new NewBatchItem.RejectedBatchItem(problem, entry.row());
            } else if (item instanceof BatchRequest.BatchRequestItem.UnreadableItem) {
                throw new IllegalStateException("an item that was readable before cannot be read now");
            }
            Optional<ExecutionId> answer = coalescing.answeredBy(number).map(executionOf::get);
            if (answer.isPresent()) {
                return new NewBatchItem.CoalescedBatchItem(answer.get(), entry.row());
            }
            return itemResolver.resolve(item, refusal -> refusedItem(number, entry.row(), refusal), submission -> {
                Submission known = validator.withLanguage(number, submission);
                NewExecution execution = reception.toNewExecution(caller, coalescing.restrictEffects(number, known));
                if (coalescing.answersOthers(number)) {
                    executionOf.put(number, execution.id());
                }
                return new NewBatchItem.AcceptedBatchItem(execution, entry.row());
            });
        }

        /** The saved script was deleted between validation and storage. */
        private NewBatchItem refusedItem(int number, Optional<Json> row, SubmissionResult refusal) {
            if (request.atomic()) {
                throw new IllegalStateException("a script was deleted while the batch was stored: " + refusal);
            }
            return new NewBatchItem.RejectedBatchItem(request.items().problem(number, refusal), row);
        }
    }

    /**
     * Runs the failed executions of a batch again, as a new batch with the same bounds. Results and exceptions are
     * those of {@link #submit}; also {@link BatchSubmissionResult.OriginalBatchNotFound} and
     * {@link BatchSubmissionResult.NoFailedItems}.
     */
    public BatchSubmissionResult retry(Caller caller, BatchId original) {
        Optional<Batch> found = store.find(caller.tenant(), original);
        if (found.isEmpty()) {
            return new BatchSubmissionResult.OriginalBatchNotFound();
        }
        FailedItemIterator failed =
                new FailedItemIterator(caller, original, !found.get().columns().isEmpty());
        if (!failed.hasNext()) {
            return new BatchSubmissionResult.NoFailedItems();
        }
        NewBatch batch = new NewBatch(
                new BatchId(ids.next().value()),
                caller.tenant(),
                caller.id(),
                found.get().maxParallel(),
                found.get().onFailure(),
                Optional.of(original),
                found.get().capability(),
                found.get().columns(),
                Optional.empty());
        return inSlot(
                submissionSlots,
                () -> withinQuota(
                        caller, store.countFailedExecutions(original), () -> store(batch, failed, store::insert)));
    }

    /** Reads the failed items page by page while they are stored. Items that had one execution get one again. */
    private final class FailedItemIterator implements Iterator<NewBatchItem> {
        private final Caller caller;
        private final BatchId original;
        private final boolean hasRows;
        private final Deque<BatchItem> page = new ArrayDeque<>();
        private final Map<ExecutionId, ExecutionId> rerunOf = new HashMap<>();
        private int lastIndex = -1;
        private boolean exhausted;

        FailedItemIterator(Caller caller, BatchId original, boolean hasRows) {
            this.caller = caller;
            this.original = original;
            this.hasRows = hasRows;
        }

        @Override
        public boolean hasNext() {
            if (page.isEmpty() && !exhausted) {
                List<BatchItem> more = store.listFailedItems(original, lastIndex, FAILED_PAGE_SIZE);
                exhausted = more.size() < FAILED_PAGE_SIZE;
                for (BatchItem item : more) {
                    lastIndex = item.index();
                    if (item.execution().isPresent()) {
                        page.add(item);
                    }
                }
            }
            return !page.isEmpty();
        }

        @Override
        public NewBatchItem next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            BatchItem item = page.remove();
            ExecutionId id = item.execution().orElseThrow();
            Optional<Json> row = hasRows ? store.findRow(original, item.index()) : Optional.empty();
            ExecutionId rerun = rerunOf.get(id);
            if (rerun != null) {
                return new NewBatchItem.CoalescedBatchItem(rerun, row);
            }
            return executions
                    .findSubmission(caller.tenant(), id)
                    .<NewBatchItem>map(submitted -> {
                        Submission resubmitted = reruns.forRerun(submitted);
                        NewExecution execution = reception.toNewExecution(
                                caller,
                                resubmitted
                                        .withAdmission(resubmitted.admission().withRetry(submitted.retry()))
                                        .asRerun(new RerunOrigin(id, RerunOrigin.RerunMode.FRESH, 1, false))
                                        .withSharedReads(submitted.sharesReads()));
                        rerunOf.put(id, execution.id());
                        return new NewBatchItem.AcceptedBatchItem(execution, row);
                    })
                    .orElseGet(() -> new NewBatchItem.RejectedBatchItem(
                            new Json("{\"detail\": \"the execution no longer exists\"}"), row));
        }
    }

    private BatchSubmissionResult withinQuota(Caller caller, int more, Supplier<BatchSubmissionResult> work) {
        return reception.withinQuota(
                caller,
                more,
                work,
                result -> result instanceof BatchSubmissionResult.BatchAccepted accepted && !accepted.replayed(),
                refusal -> refusedByQuota(more, refusal));
    }

    private static BatchSubmissionResult refusedByQuota(int runs, SubmissionResult refusal) {
        long limit = runs;
        if (refusal instanceof SubmissionResult.TenantQueueFull queue) {
            limit = queue.limit();
        } else if (refusal instanceof SubmissionResult.TenantQuotaExceeded quota) {
            limit = quota.limit();
        }
        return runs > limit
                ? new BatchSubmissionResult.BatchAboveQuota(runs, limit, refusal)
                : new BatchSubmissionResult.RefusedAsSubmission(refusal);
    }

    private BatchSubmissionResult store(NewBatch batch, Iterator<NewBatchItem> items, BatchInserter inserter) {
        List<ExecutionJob> jobs = new ArrayList<>();
        Iterator<NewBatchItem> recording = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return items.hasNext();
            }

            @Override
            public NewBatchItem next() {
                NewBatchItem item = items.next();
                if (item instanceof NewBatchItem.AcceptedBatchItem runs
                        && !runs.execution().admission().isDelayed()) {
                    jobs.add(toJob(runs.execution()));
                }
                return item;
            }
        };
        BatchInsertResult acceptance;
        try {
            // The items can be read only once, so the batch is not inserted a second time.
            acceptance = UnknownWriteRepeater.repeatIfUnknown(
                    () -> inserter.insert(batch, recording), () -> requireStored(batch));
        } catch (StoreUnavailableException e) {
            if (!e.maybeStored()) {
                throw e;
            }
            return new BatchSubmissionResult.BatchOutcomeUnknown(batch.id());
        }
        if (acceptance instanceof BatchInsertResult.BatchInserted) {
            jobs.stream().findFirst().ifPresent(job -> Failpoint.ACCEPTED.reached(job.id()));
            scheduler.start(batch, jobs);
            return new BatchSubmissionResult.BatchAccepted(batch.id(), false);
        }
        return toResult(acceptance);
    }

    /** A batch that is not found may be stored later. */
    private BatchInsertResult requireStored(NewBatch batch) {
        if (store.find(batch.tenant(), batch.id()).isEmpty()) {
            throw new StoreUnavailableException(
                    "it is unknown whether batch " + batch.id() + " is stored",
                    new IllegalStateException("it is not found"),
                    true);
        }
        return new BatchInsertResult.BatchInserted();
    }

    private static ExecutionJob toJob(NewExecution execution) {
        return new ExecutionJob(execution.id(), execution.tenant(), execution.priority(), 0);
    }

    private static BatchSubmissionResult toResult(BatchInsertResult acceptance) {
        if (acceptance instanceof BatchInsertResult.BatchAlreadyInserted replayed) {
            return new BatchSubmissionResult.BatchAccepted(replayed.id(), true);
        } else if (acceptance instanceof BatchInsertResult.BatchKeyReused) {
            return new BatchSubmissionResult.RefusedAsSubmission(new SubmissionResult.SubmissionKeyReused());
        } else if (acceptance instanceof BatchInsertResult.BatchInsertSuperseded) {
            return new BatchSubmissionResult.BatchSuperseded();
        }
        return new BatchSubmissionResult.RefusedAsSubmission(new SubmissionResult.SubmissionInProgress());
    }

    /**
     * Does work that holds a database connection for a while, such as storing a file. It is refused if no slot becomes
     * free in time.
     */
    public BatchSubmissionResult inSubmissionSlot(Supplier<BatchSubmissionResult> work) {
        return inSlot(submissionSlots, work);
    }

    /** Does work that reads the whole body of a batch and stores nothing; empty if no slot becomes free in time. */
    public <T> Optional<T> inValidationSlot(Supplier<T> work) {
        return validationSlots.compute(work);
    }

    private static BatchSubmissionResult inSlot(BatchSlots slots, Supplier<BatchSubmissionResult> work) {
        return slots.compute(work).orElseGet(BatchSubmissionResult.BatchServiceBusy::new);
    }
}
