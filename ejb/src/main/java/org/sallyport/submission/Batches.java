package org.sallyport.submission;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.sallyport.access.Caller;
import org.sallyport.batch.Batch;
import org.sallyport.batch.BatchAcceptance;
import org.sallyport.batch.BatchItem;
import org.sallyport.batch.BatchStore;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewItem;
import org.sallyport.batch.OnFailure;
import org.sallyport.configuration.BatchSettings;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIds;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.PendingJob;
import org.sallyport.execution.Rerun;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.tool.Json;

/**
 * Accepts batches: all scripts are read, then one local transaction, then the jobs. Blocks, and takes only a few at one time,
 * each of which has a connection to the database meanwhile. Thread-safe.
 */
public final class Batches {
    private static final long PATIENCE_SECONDS = 20;
    private static final int FAILED_AT_ONCE = 100;
    /** What {@link BatchStore#failed} tells. */
    private static final Set<ExecutionState> FAILURES = Set.of(ExecutionState.FAILED, ExecutionState.TIMED_OUT);

    private final Configuration configuration;
    private final Reception reception;
    private final ScriptRuns scripts;
    private final CapabilityRuns capabilities;
    private final Reruns reruns;
    private final ExecutionIds ids;
    private final ExecutionStore executions;
    private final BatchStore store;
    private final BatchFlow flow;
    private final Semaphore places;

    public Batches(
            Configuration configuration,
            Reception reception,
            ScriptRuns scripts,
            CapabilityRuns capabilities,
            Reruns reruns,
            ExecutionIds ids,
            ExecutionStore executions,
            BatchStore store,
            BatchFlow flow) {
        this.configuration = configuration;
        this.reception = reception;
        this.scripts = scripts;
        this.capabilities = capabilities;
        this.reruns = reruns;
        this.ids = ids;
        this.executions = executions;
        this.store = store;
        this.flow = flow;
        this.places = new Semaphore(Math.max(1, configuration.integer(Settings.DB_POOL) / 4), true);
    }

    /** Accepts a batch or says why not; {@link org.sallyport.execution.StoreUnavailableException} when it could not be stored. */
    public BatchReceipt accept(Caller caller, BatchRequest request) {
        int most = configuration.integer(BatchSettings.ITEMS);
        int count = request.items().count();
        if (count < 1 || count > most) {
            return new BatchReceipt.WrongSize(count, most);
        }
        Optional<BatchReceipt> earlier = request.idempotency()
                .flatMap(key -> store.earlier(caller.tenant(), key))
                .map(Batches::receipt);
        return earlier.orElseGet(() -> inPlace(() -> judge(caller, request)));
    }

    private BatchReceipt judge(Caller caller, BatchRequest request) {
        BatchVerdicts verdicts = new BatchVerdicts(request.items());
        BatchNames named = new BatchNames(scripts, capabilities, caller);
        verdicts.judge(reception, named, caller);
        if (verdicts.unavailable().isPresent()) {
            return new BatchReceipt.AsOne(verdicts.unavailable().get());
        } else if (request.atomic() && !verdicts.problems().isEmpty()) {
            return new BatchReceipt.Refused(verdicts.problems());
        }
        int wanted = request.items().count() - verdicts.problems().size();
        int room = reception.room(caller, wanted);
        if (room < wanted && (room == 0 || request.atomic())) {
            return new BatchReceipt.AsOne(reception.noRoom(caller));
        }
        verdicts.refuseBeyond(room, reception.noRoom(caller));
        // What is to stop must be able to: with all under way at once there would be nothing left to be stopped.
        Optional<Integer> parallel = request.maxParallel()
                .or(() -> request.onFailure() == OnFailure.STOP
                        ? Optional.of(configuration.integer(BatchSettings.PARALLEL))
                        : Optional.empty());
        NewBatch batch = new NewBatch(
                new BatchId(ids.next().value()),
                caller.tenant(),
                caller.keyId(),
                parallel,
                request.onFailure(),
                Optional.empty(),
                request.idempotency());
        int runs = request.items().count() - verdicts.problems().size();
        return inQueue(caller, runs, () -> store(batch, new Judged(caller, request, named, verdicts.problems())));
    }

    /** As it was judged; read once more, since nobody has kept it. */
    private final class Judged implements Iterator<NewItem> {
        private final Caller caller;
        private final BatchRequest request;
        private final BatchNames named;
        private final Iterator<BatchRequest.Item> items;
        private final Map<Integer, Json> problems;
        private int index;

        Judged(Caller caller, BatchRequest request, BatchNames named, Map<Integer, Json> problems) {
            this.caller = caller;
            this.request = request;
            this.named = named;
            this.items = request.items().read();
            this.problems = problems;
        }

        @Override
        public boolean hasNext() {
            return items.hasNext();
        }

        @Override
        public NewItem next() {
            BatchRequest.Item item = items.next();
            Json problem = problems.get(index++);
            if (problem != null) {
                return new NewItem.Refused(problem);
            } else if (item instanceof BatchRequest.Item.Unreadable) {
                throw new IllegalStateException("an item reads otherwise the second time");
            }
            return named.made(item, this::gone, submission -> new NewItem.Runs(reception.made(caller, submission)));
        }

        /** Between the two looks somebody deleted the script. */
        private NewItem gone(Receipt refusal) {
            if (request.atomic()) {
                throw new IllegalStateException("a script was deleted while the batch was stored: " + refusal);
            }
            return new NewItem.Refused(request.items().problem(refusal));
        }
    }

    /** Runs what has failed of a batch again, as a batch of its own with the same bounds. As {@link #accept}. */
    public BatchReceipt retry(Caller caller, BatchId original) {
        Optional<Batch> found = store.find(caller.tenant(), original);
        if (found.isEmpty()) {
            return new BatchReceipt.NoOriginal();
        }
        Failed failed = new Failed(caller, original);
        if (!failed.hasNext()) {
            return new BatchReceipt.NothingFailed();
        }
        NewBatch batch = new NewBatch(
                new BatchId(ids.next().value()),
                caller.tenant(),
                caller.keyId(),
                found.get().maxParallel(),
                found.get().onFailure(),
                Optional.of(original),
                Optional.empty());
        Map<ExecutionState, Integer> counts = store.counts(original);
        int runs = FAILURES.stream()
                .mapToInt(state -> counts.getOrDefault(state, 0))
                .sum();
        return inPlace(() -> inQueue(caller, runs, () -> store(batch, failed)));
    }

    /** Read page by page while they are written. */
    private final class Failed implements Iterator<NewItem> {
        private final Caller caller;
        private final BatchId original;
        private final List<ExecutionId> page = new ArrayList<>();
        private int last = -1;
        private boolean over;

        Failed(Caller caller, BatchId original) {
            this.caller = caller;
            this.original = original;
        }

        @Override
        public boolean hasNext() {
            if (page.isEmpty() && !over) {
                List<BatchItem> more = store.failed(original, last, FAILED_AT_ONCE);
                over = more.size() < FAILED_AT_ONCE;
                for (BatchItem item : more) {
                    last = item.index();
                    item.execution().ifPresent(page::add);
                }
            }
            return !page.isEmpty();
        }

        @Override
        public NewItem next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            ExecutionId id = page.remove(0);
            return executions
                    .submitted(caller.tenant(), id)
                    .<NewItem>map(submitted -> new NewItem.Runs(reception.made(
                            caller,
                            reruns.again(submitted)
                                    .as(new Rerun(id, Rerun.Mode.FRESH, 1, false))
                                    .sharingReads(submitted.sharesReads()))))
                    .orElseGet(() -> new NewItem.Refused(new Json("{\"detail\": \"the execution is there no more\"}")));
        }
    }

    private BatchReceipt inQueue(Caller caller, int more, Supplier<BatchReceipt> work) {
        return reception.queued(
                caller,
                more,
                work,
                made -> made instanceof BatchReceipt.Accepted accepted && !accepted.replayed(),
                BatchReceipt.AsOne::new);
    }

    private BatchReceipt store(NewBatch batch, Iterator<NewItem> items) {
        List<PendingJob> jobs = new ArrayList<>();
        BatchAcceptance acceptance = store.accept(batch, new Iterator<>() {
            @Override
            public boolean hasNext() {
                return items.hasNext();
            }

            @Override
            public NewItem next() {
                NewItem item = items.next();
                if (item instanceof NewItem.Runs runs
                        && !runs.execution().admission().delayed()) {
                    jobs.add(job(runs.execution()));
                }
                return item;
            }
        });
        if (acceptance instanceof BatchAcceptance.Stored) {
            jobs.stream().findFirst().ifPresent(job -> Failpoint.ACCEPTED.reached(job.id()));
            flow.begin(batch, jobs);
            return new BatchReceipt.Accepted(batch.id(), false);
        }
        return receipt(acceptance);
    }

    private static PendingJob job(NewExecution execution) {
        return new PendingJob(execution.id(), execution.tenant(), execution.priority(), 0);
    }

    private static BatchReceipt receipt(BatchAcceptance acceptance) {
        if (acceptance instanceof BatchAcceptance.Replayed replayed) {
            return new BatchReceipt.Accepted(replayed.id(), true);
        } else if (acceptance instanceof BatchAcceptance.KeyReused) {
            return new BatchReceipt.AsOne(new Receipt.KeyReused());
        }
        return new BatchReceipt.AsOne(new Receipt.InProgress());
    }

    private BatchReceipt inPlace(Supplier<BatchReceipt> work) {
        try {
            if (!places.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return new BatchReceipt.Busy();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new BatchReceipt.Busy();
        }
        try {
            return work.get();
        } finally {
            places.release();
        }
    }
}
