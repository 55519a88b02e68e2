package org.sallyport.execution;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.tool.ToolName;

/**
 * Stores executions. Every method is one short transaction, committed when it returns; every change of state is one
 * compare-and-set that respects {@link ExecutionState#canTransitionTo}. Times come from the store's own clock. All
 * methods throw {@link StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ExecutionStore {

    /**
     * Stores {@code execution} as {@link ExecutionState#PENDING}, together with its idempotency key if it has one. When
     * the store did not answer, the same execution may be inserted again: it is stored once.
     */
    InsertResult insert(NewExecution execution);

    /** Returns the execution; empty when the tenant has no such execution. */
    Optional<Execution> find(String tenant, ExecutionId id);

    /**
     * Returns those of the executions that the tenant has, in any order.
     *
     * @param ids at least one and at most 1,000 ids
     */
    List<Execution> findAll(String tenant, List<ExecutionId> ids);

    /**
     * Returns the execution's version; empty when the tenant has no such execution. Cheap enough for frequent polling.
     */
    Optional<ExecutionVersion> pollVersion(String tenant, ExecutionId id);

    /** Returns the script of the execution; empty when the tenant has no such execution. */
    Optional<String> findCode(String tenant, ExecutionId id);

    /** Returns the result of an earlier submission with this idempotency key; empty when there is none. */
    Optional<InsertResult> findByIdempotencyKey(String tenant, IdempotencyKey idempotency);

    /** Returns everything that was submitted; empty when the tenant has no such execution. */
    Optional<StoredSubmission> findSubmission(String tenant, ExecutionId id);

    /**
     * Returns one page, newest first. The number of executions examined is bounded for every filter.
     *
     * @param before only executions with a smaller id, when given
     * @param limit maximum number of executions
     */
    ExecutionPage list(String tenant, ExecutionFilter filter, Optional<ExecutionId> before, int limit);

    /**
     * Returns a part of one output stream.
     *
     * @param offset in characters (UTF-16 code units) from the start of the stream
     * @param limit maximum number of characters; a surrogate pair is never split
     */
    String readOutput(ExecutionId id, OutputKind kind, long offset, int limit);

    /**
     * Returns the output of both streams behind the offsets, in the order in which the script wrote it.
     *
     * @param outputOffset in characters (UTF-16 code units) from the start of stdout
     * @param errorOffset in characters from the start of stderr
     * @param limit maximum number of characters of all pieces, at least 2; a surrogate pair is never split
     */
    List<OutputChunk> readOutputInOrder(ExecutionId id, long outputOffset, long errorOffset, int limit);

    /** Returns those of {@code ids} that exist and have not ended; accepts a few hundred ids at most. */
    List<ExecutionId> retainUnfinished(List<ExecutionId> ids);

    /**
     * Returns how many pending executions of this tenant precede {@code id}, plus one; empty when it is not pending.
     */
    Optional<Long> queuePosition(String tenant, ExecutionId id);

    /**
     * Claims a pending execution: sets it to {@code RUNNING}, increments the attempt, and records {@code node} as the
     * owner. Returns empty when there is nothing to claim (unknown, claimed, ended, not due yet, no turn of its
     * concurrency key), which is normal for a redelivered message.
     *
     * @param node the lease owner of the claiming node
     */
    Optional<ClaimedExecution> claim(ExecutionId id, String node);

    /**
     * Returns the claim by which {@code owner} holds a running execution; empty when it does not. For a claim whose
     * answer was lost.
     *
     * @param owner a lease owner
     */
    Optional<ClaimedExecution> findClaim(ExecutionId id, String owner);

    /**
     * Cancels immediately when no runner holds the execution; otherwise stores the request. An immediate cancel also
     * ends all open calls in the trace. The first request stays; later ones do not change who requested it, and why. A
     * cancellation without an answer is repeated once; the result is then that of the first.
     *
     * @param request who requests it, and why
     * @param changes whether a tool may have changed something when its reply is missing
     */
    CancelResult cancel(String tenant, ExecutionId id, CancelRequest request, Predicate<ToolName> changes);

    /**
     * Cancels like {@link #cancel(String, ExecutionId, CancelRequest, Predicate)}, without a reason, and assumes that
     * every tool may have changed something.
     */
    default CancelResult cancel(String tenant, ExecutionId id) {
        return cancel(tenant, id, new CancelRequest(Optional.empty(), Optional.empty()), tool -> true);
    }

    /**
     * Deletes an ended execution with all that it holds, and the executions that are nested in it. The items of its
     * batch keep its state. Each execution is deleted in a transaction of its own, the requested one last, so that a
     * repeated request continues after a failure.
     */
    EraseResult erase(String tenant, ExecutionId id);

    /**
     * Returns pending executions whose job is overdue. Each is returned once per {@code repeatInterval} over all
     * callers.
     *
     * @param repeatInterval how long until the same job is returned again
     */
    List<ExecutionJob> overdueJobs(Duration repeatInterval, int limit);

    /**
     * Returns pending executions whose start time has come. Each is returned once; later it becomes overdue like any
     * other.
     */
    List<ExecutionJob> dueStarts(int limit);

    /**
     * Grants free turns of a concurrency key to executions that could not be claimed because all turns were taken: the
     * highest priority first, then the oldest. An execution that has started keeps its turn until it ends.
     *
     * @return the jobs of the executions that received a turn
     */
    List<ExecutionJob> grantTurns(String tenant, String key);

    /** Grants the free turns of all keys like {@link #grantTurns(String, String)}, of at most {@code limit} keys. */
    List<ExecutionJob> grantTurns(int limit);

    /** Returns the executions for whose end a pending execution of this tenant waits because of its concurrency key. */
    List<ExecutionId> findTurnHolders(String tenant, ExecutionId id);

    /**
     * An execution that was ended at its deadline.
     *
     * @param id its id
     * @param hasOpenCalls whether it waited for tools
     */
    record ExpiredExecution(ExecutionId id, boolean hasOpenCalls) {}

    /**
     * Ends executions that no runner holds and whose deadline has passed, as {@link ExecutionState#TIMED_OUT}, and ends
     * all their open calls in the trace.
     *
     * @param changes whether a tool may have changed something when its reply is missing
     */
    List<ExpiredExecution> endPastDeadline(int limit, Predicate<ToolName> changes);

    /**
     * Resumes parked executions whose time has come: sets them to {@code PENDING}.
     *
     * @param alone for how long no other caller receives their jobs; with zero they are overdue immediately
     * @return their jobs, at most {@code limit}
     */
    List<ExecutionJob> resumeDue(int limit, Duration alone);

    /**
     * Resumes a parked execution: sets it to {@code PENDING}.
     *
     * @param alone for how long no other caller receives its job
     * @return false when it is no longer parked since that claim
     */
    boolean resumeDue(FencingToken fence, Duration alone);

    /**
     * Resumes parked executions whose replies go to a node without a valid lease. Their jobs are overdue immediately,
     * as with {@link #resumeDue(int, Duration)} and zero.
     *
     * @param self the lease owner of the calling node
     */
    int resumeOrphanedWaits(String self, int limit);

    /**
     * Returns the time until the next parked execution resumes or the next delayed execution may start, by the store's
     * clock; zero when one is due.
     *
     * @param within how far to look ahead; the result is empty when the time is later, or never
     */
    Optional<Duration> timeToNextResume(Duration within);

    /**
     * Returns running executions whose lease owner has no valid lease.
     *
     * @param self the lease owner of the calling node, which knows its own executions without the store's clock
     */
    List<OrphanedExecution> findOrphans(String self, int limit);

    /**
     * Returns all running executions that {@code owner} holds, whether or not its node really runs them.
     *
     * @param owner a lease owner
     */
    List<OwnedRun> findOwnedRuns(String owner);

    /**
     * Requeues a running execution that its own node holds and does not run, and records this in the trace. Unlike
     * {@link #requeue} it counts no loss of a node. Its job is overdue immediately. Its deadline stays, unless no
     * attempt wrote to its journal: then it never started, and its time begins with its next claim.
     *
     * @return false when another writer has ended or claimed it, or a client requested its cancellation
     */
    boolean requeueOwn(FencingToken fence);

    /**
     * Requeues a running execution because its node is gone, counts the loss, and records this in the trace. Its job is
     * overdue immediately, before those of executions that have lost fewer nodes. Its deadline stays, unless it never
     * started, as in {@link #requeueOwn}.
     *
     * @return false when another writer has ended or claimed it, a client requested its cancellation, or its node has
     *     renewed its lease since
     */
    boolean requeue(FencingToken fence);

    /**
     * Records that the node of a running execution runs no other execution beside it, until {@link #unmarkAlone} or the
     * next claim: the loss of this node then counts as one that the execution may have caused. If the execution has
     * lost a node before, it also counts as a loss during its replay, until {@link #markReplayed}. Returns false when
     * the execution has ended or was claimed again.
     */
    boolean markAlone(FencingToken fence);

    /**
     * Revokes all marks of {@link #markAlone} on executions that {@code owner} holds.
     *
     * @param owner a lease owner
     */
    void unmarkAlone(String owner);

    /**
     * Records that a running execution for which {@link #markAlone} was called has replayed its journal: forgets the
     * losses during earlier replays. Has no effect if the execution is not marked any more.
     */
    void markReplayed(FencingToken fence);

    /**
     * Fails a pending execution whose job no runner could take, and stores a {@link DeadLetter}. Returns false when the
     * execution was claimed or ended since that attempt.
     */
    boolean failPending(FencingToken lastAttempt, ExecutionError error);

    /** Returns running executions held by {@code node} with a stored cancel request; covers lost notifications. */
    List<ExecutionId> findCancelRequests(String node);

    /** Throws {@link StoreUnavailableException} unless the store answers. */
    void ping();
}
