package org.sallyport.execution;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.sallyport.tool.ToolName;

/**
 * Where executions live. Every method is one short transaction, committed when it returns; every change of state is one
 * compare-and-set that honours {@link ExecutionState#canTransitionTo}. Times are the store's own clock. All methods throw
 * {@link StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ExecutionStore {

    /** Stores {@code execution} as {@link ExecutionState#PENDING}, with its idempotency key if it has one, or not at all. */
    InsertResult insert(NewExecution execution);

    /** The execution, if it is this tenant's. */
    Optional<Execution> find(String tenant, ExecutionId id);

    /** How far it is, if it is this tenant's: cheap enough to be asked again and again. */
    Optional<ExecutionVersion> pollVersion(String tenant, ExecutionId id);

    /** Its script. */
    Optional<String> findCode(String tenant, ExecutionId id);

    /** What became of an earlier submission with the same idempotency key; empty when there is none, or no key. */
    Optional<InsertResult> findByIdempotencyKey(NewExecution execution);

    /** All that was submitted with it, if it is this tenant's. */
    Optional<StoredSubmission> findSubmission(String tenant, ExecutionId id);

    /**
     * One page, newest first. How many executions it looks at is bounded, whatever the filter.
     *
     * @param before only executions with a smaller id, when given
     * @param limit at most so many
     */
    ExecutionPage list(String tenant, ExecutionFilter filter, Optional<ExecutionId> before, int limit);

    /**
     * What follows {@code offset} in one output stream.
     *
     * @param offset in characters (UTF-16 code units) from the start of the stream
     * @param limit at most so many characters, never splitting a surrogate pair
     */
    String readOutput(ExecutionId id, OutputKind kind, long offset, int limit);

    /** Those of {@code ids} that are there and have not ended; a few hundred at most at once. */
    List<ExecutionId> retainUnfinished(List<ExecutionId> ids);

    /** How many pending executions of this tenant come before {@code id}, plus one; empty when it is not pending. */
    Optional<Long> queuePosition(String tenant, ExecutionId id);

    /**
     * Takes a pending execution: {@code RUNNING}, attempt raised, held by {@code node}. Empty when there is nothing to
     * take (unknown, taken, ended, not to begin yet, not in its turn), which is the normal fate of a repeated message.
     *
     * @param node the holder of the claiming node's lease
     */
    Optional<ClaimedExecution> claim(ExecutionId id, String node);

    /**
     * Cancels at once what no runner holds; otherwise stores the request. In the trace of what it cancels at once, every call
     * ends.
     *
     * @param changes whether a tool may have changed something when its answer is missing
     */
    CancelResult cancel(String tenant, ExecutionId id, Predicate<ToolName> changes);

    /** As {@link #cancel(String, ExecutionId, Predicate)}, where nothing is known of the tools. */
    default CancelResult cancel(String tenant, ExecutionId id) {
        return cancel(tenant, id, tool -> true);
    }

    /**
     * Pending executions whose job is overdue; each is given out once per {@code again}, whoever asks.
     *
     * @param again how long until the same job is given out again
     */
    List<ExecutionJob> overdueJobs(Duration again, int limit);

    /** Pending executions whose time to begin has come; each is given out once, and is overdue later like any other. */
    List<ExecutionJob> dueStarts(int limit);

    /**
     * Lets those begin that were not claimed because others with the same concurrency key had all turns, as far as there are turns
     * now: those of the highest priority first, then the oldest. One that has begun keeps its turn until it has ended.
     *
     * @return their jobs
     */
    List<ExecutionJob> grantTurns(String tenant, String key);

    /** As {@link #grantTurns(String, String)}, of all keys that have turns nobody has passed on; {@code limit} keys at most. */
    List<ExecutionJob> grantTurns(int limit);

    /** Those whose ends a pending execution of this tenant waits for because of its concurrency key. */
    List<ExecutionId> findTurnHolders(String tenant, ExecutionId id);

    /**
     * An execution whose deadline ended it.
     *
     * @param id its id
     * @param hasOpenCalls whether it waited for tools
     */
    record ExpiredExecution(ExecutionId id, boolean hasOpenCalls) {}

    /**
     * Ends executions that nobody runs and whose deadline has passed, as {@link ExecutionState#TIMED_OUT}. In their traces every
     * call ends.
     *
     * @param changes whether a tool may have changed something when its answer is missing
     */
    List<ExpiredExecution> endPastDeadline(int limit, Predicate<ToolName> changes);

    /**
     * Parked executions whose time has come: {@code PENDING} afterwards.
     *
     * @param alone for how long nobody else is given their jobs; after none they are overdue at once
     * @return their jobs, at most {@code limit}
     */
    List<ExecutionJob> resumeDue(int limit, Duration alone);

    /**
     * Makes a parked execution {@code PENDING}.
     *
     * @param alone for how long nobody else is given its job
     * @return false when it is not parked since that claim any more
     */
    boolean resumeDue(FencingToken fence, Duration alone);

    /**
     * As {@link #resumeDue(int, Duration)} with none, of parked executions whose answers come to a node that has no lease that lasts.
     *
     * @param self the holder that asks
     */
    int resumeOrphanedWaits(String self, int limit);

    /**
     * How long until the next parked execution's time comes, or the next one may begin, by the store's clock; zero when it has come.
     *
     * @param within how far to look; empty when it comes later, or never
     */
    Optional<Duration> timeToNextResume(Duration within);

    /** Running executions that are past their wall-clock limit by more than {@code grace}: their runner forgot them. */
    List<FencingToken> findOverdueRuns(Duration grace, int limit);

    /**
     * Running executions whose holder has no lease that lasts.
     *
     * @param self the holder that asks, and knows of its own executions without the store's clock
     */
    List<OrphanedExecution> findOrphans(String self, int limit);

    /**
     * Makes a running execution {@code PENDING} again because its node is gone, with a word of it in the trace. Its job is
     * overdue at once, its deadline stays.
     *
     * @return false when somebody else had ended or taken it, or a caller asked to cancel it
     */
    boolean requeue(FencingToken fence);

    /** Ends a pending execution that nobody could take, with a {@link DeadLetter}; false when it had been taken or ended since that attempt. */
    boolean failPending(FencingToken lastAttempt, ExecutionError error);

    /** Running executions held by {@code node} that a caller asked to cancel: for when the word of it was lost. */
    List<ExecutionId> findCancelRequests(String node);

    /** Throws {@link StoreUnavailableException} unless the store answers. */
    void ping();
}
