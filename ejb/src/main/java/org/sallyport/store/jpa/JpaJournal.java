package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.Query;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.RetryPolicy.RetryStop;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.StoredPosition;
import org.sallyport.journal.TraceEvent;
import org.sallyport.journal.TracePager;
import org.sallyport.tool.ToolName;

/**
 * Stores journals in the database. Entries that neither follow nor repeat the stored ones are an error of the writer
 * and are refused with {@link IllegalArgumentException}. Entries that are stored already are skipped, because a writer
 * that received no answer sends them again. Thread-safe.
 */
public final class JpaJournal implements Journal {
    private static final String SIZES =
            "select t.seq, t.sizeBytes from TraceEventEntity t where t.executionId = :id and t.seq > :after";
    private static final String EVENTS =
            "select t from TraceEventEntity t where t.executionId = :id and t.seq > :after and t.seq <= :last";
    private static final String WITHOUT_REPLAY_LOG = " and t.type <> '" + TraceEventEntity.RECORDED + "'";
    private static final String IN_ORDER = " order by t.executionId, t.seq";
    private static final String LAST_CALL = "select max(t.call) from TraceEventEntity t where t.executionId = :id"
            + " and t.type = '" + TraceEventEntity.TOOL_STARTED + "'";

    private static final Logger LOG = System.getLogger(JpaJournal.class.getName());

    private static final int MAX_ATTEMPTS = 20;
    private static final int MAX_SCRIPTS_PER_TENANT = 1_000;
    private static final Duration DEFAULT_FIRST_CHECK = Duration.ofSeconds(5);

    private final Database database;
    private final SearchTerms searchTerms = new SearchTerms();
    private final SavedScriptWriter savedScripts;
    private final NextAttemptWriter nextAttempts;

    public JpaJournal(Database database) {
        this(database, MAX_SCRIPTS_PER_TENANT);
    }

    /**
     * Creates a journal that assumes that every call may have changed something.
     *
     * @param mostScripts maximum number of saved scripts per tenant
     */
    public JpaJournal(Database database, int mostScripts) {
        this(
                database,
                mostScripts,
                new ExecutionIdGenerator(InstantSource.system(), new SecureRandom()),
                new SecureRandom(),
                tool -> true,
                DEFAULT_FIRST_CHECK);
    }

    /**
     * @param mostScripts maximum number of saved scripts per tenant
     * @param ids generates the ids of further attempts of failed executions
     * @param random varies the delays of these attempts; thread-safe
     * @param changes whether a call of the tool may have changed something
     * @param firstCheck how long after its start time an unclaimed job of such an attempt counts as overdue
     */
    public JpaJournal(
            Database database,
            int mostScripts,
            ExecutionIdGenerator ids,
            RandomGenerator random,
            Predicate<ToolName> changes,
            Duration firstCheck) {
        this.database = database;
        this.savedScripts = new SavedScriptWriter(mostScripts);
        this.nextAttempts = new NextAttemptWriter(ids, random, changes, firstCheck);
    }

    @Override
    public boolean append(FencingToken fence, JournalBatch entries) {
        AppendedEntries growth = new AppendedEntries(entries);
        return commit(fence, growth, session -> append(session, fence, growth));
    }

    private Optional<Boolean> append(EntityManager session, FencingToken fence, AppendedEntries growth) {
        Query append = growth.bindParameters(session.createNamedQuery(ExecutionStatements.APPEND), fence);
        if (append.executeUpdate() == 1) {
            growth.persist(session, fence.id(), searchTerms);
            return Optional.of(true);
        }
        ExecutionEntity row = findOwned(session, fence);
        if (row == null || growth.isBehind(row)) {
            return Optional.of(false);
        }
        return growth.follows(row) ? Optional.empty() : append(session, fence, growth.withoutStored(row));
    }

    /**
     * Repeats {@code work} while it returns empty: its statement met a row that another transaction was just
     * committing. Gives up after {@value #MAX_ATTEMPTS} attempts with {@link StoreUnavailableException}.
     */
    private <T> T commit(FencingToken fence, AppendedEntries growth, Function<EntityManager, Optional<T>> work) {
        return commit(fence, growth, () -> database.writeInGroupCommit(growth.sizeBytes(), work));
    }

    private <T> T commit(FencingToken fence, AppendedEntries growth, Supplier<Optional<T>> work) {
        for (int i = 0; i < MAX_ATTEMPTS; i++) {
            Optional<T> said = work.get();
            if (said.isPresent()) {
                growth.onCommitted(fence.id(), searchTerms);
                return said.get();
            }
        }
        throw new StoreUnavailableException(
                "the execution could not be written because of concurrent writes",
                new IllegalStateException(MAX_ATTEMPTS + " tries"));
    }

    @Override
    public ReleaseResult release(FencingToken fence, JournalBatch entries) {
        AppendedEntries growth = new AppendedEntries(entries);
        return commit(
                fence,
                growth,
                session ->
                        release(session, fence, growth, () -> session.createNamedQuery(ExecutionStatements.RELEASE)));
    }

    /**
     * Stores the entries with an update that ends the run without ending the execution. Returns empty if another
     * transaction was just committing the row.
     *
     * @param update returns the update, whose parameters after those of the entries are bound
     */
    private Optional<ReleaseResult> release(
            EntityManager session, FencingToken fence, AppendedEntries growth, Supplier<Query> update) {
        if (growth.bindParameters(update.get(), fence).executeUpdate() == 1) {
            growth.persist(session, fence.id(), searchTerms);
            return Optional.of(ReleaseResult.RELEASED);
        }
        ExecutionEntity row = findOwned(session, fence);
        if (row == null || growth.isBehind(row)) {
            return Optional.of(ReleaseResult.LOST);
        }
        if (row.cancelRequested) {
            return Optional.of(ReleaseResult.CANCEL_REQUESTED);
        }
        return growth.follows(row) ? Optional.empty() : release(session, fence, growth.withoutStored(row), update);
    }

    @Override
    public SuspendRequest.SuspendResult park(FencingToken fence, JournalBatch entries, SuspendRequest parking) {
        AppendedEntries growth = new AppendedEntries(entries);
        Function<EntityManager, Optional<SuspendRequest.SuspendResult>> work = session -> {
            if (WaitRegistrations.anyEventStored(session, fence.id(), parking.events())) {
                return Optional.of(SuspendRequest.SuspendResult.EVENT_IS_THERE);
            }
            Optional<ReleaseResult> released = release(
                    session,
                    fence,
                    growth,
                    () -> session.createNamedQuery(ExecutionStatements.PARK)
                            .setParameter(11, parking.maxWait().toMillis())
                            .setParameter(12, parking.reason().text()));
            if (released.equals(Optional.of(ReleaseResult.RELEASED))) {
                WaitRegistrations.register(session, fence.id(), parking);
            }
            return released.map(JpaJournal::toSuspendResult);
        };
        // Not in a group commit if events are awaited: waiting for an emitter's lock must not delay other writers.
        return commit(
                fence,
                growth,
                parking.events().isEmpty()
                        ? () -> database.writeInGroupCommit(growth.sizeBytes(), work)
                        : () -> database.writeWithDuplicateRetry(work));
    }

    private static SuspendRequest.SuspendResult toSuspendResult(ReleaseResult result) {
        return switch (result) {
            case RELEASED -> SuspendRequest.SuspendResult.PARKED;
            case CANCEL_REQUESTED -> SuspendRequest.SuspendResult.CANCEL_REQUESTED;
            case LOST -> SuspendRequest.SuspendResult.LOST;
        };
    }

    @Override
    public Optional<ExecutionState> finish(FencingToken fence, ExecutionOutcome outcome, JournalBatch entries) {
        if (outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                && completed.saveAs().isPresent()) {
            try {
                // Not in a group commit: waiting for the row of a script must not delay other writers.
                return finish(fence, outcome, new AppendedEntries(entries), database::writeWithDuplicateRetry);
            } catch (StoreUnavailableException | IllegalArgumentException e) {
                throw e;
            } catch (RuntimeException e) {
                // Saving the script is a convenience; storing the end of the execution is not.
                LOG.log(
                        Level.ERROR,
                        "the script of execution " + fence + " could not be saved; the execution ends without it",
                        e);
                return finish(fence, completed.withSaveAs(Optional.empty()), entries);
            }
        }
        if (ExecutionOutcomeEntity.errorOf(outcome).isPresent()
                && database.read(session -> nextAttempts.hasPolicy(session, fence.id()))) {
            return finishWithRetry(fence, outcome, entries);
        }
        AppendedEntries growth = new AppendedEntries(entries);
        long bytes = growth.sizeBytes() + ExecutionOutcomeEntity.textLength(outcome);
        return finish(fence, outcome, growth, work -> database.writeInGroupCommit(bytes, work));
    }

    private Optional<ExecutionState> finishWithRetry(
            FencingToken fence, ExecutionOutcome outcome, JournalBatch entries) {
        try {
            database.requireDiskSpace();
        } catch (StoreUnavailableException e) {
            LOG.log(Level.WARNING, "execution " + fence + " has failed and is not run again", e);
            return finishWithoutRetry(fence, outcome, entries);
        }
        try {
            // Not in a group commit: waiting for the row of a batch must not delay other writers.
            return finish(fence, outcome, new AppendedEntries(entries), database::write, this::writeNextAttempt);
        } catch (NextAttemptException e) {
            // Storing the end of the execution is more important than its next attempt.
            LOG.log(Level.ERROR, "the next attempt of execution " + fence + " could not be stored; there is none", e);
            return finishWithoutRetry(fence, outcome, entries);
        }
    }

    private Optional<ExecutionState> finishWithoutRetry(
            FencingToken fence, ExecutionOutcome outcome, JournalBatch entries) {
        return finish(
                fence,
                outcome,
                new AppendedEntries(entries),
                database::write,
                (session, failed, error) -> nextAttempts.writeStop(session, failed, RetryStop.STORAGE));
    }

    private void writeNextAttempt(EntityManager session, ExecutionId failed, ExecutionError error) {
        try {
            nextAttempts.write(session, failed, error);
        } catch (RuntimeException e) {
            throw new NextAttemptException(e);
        }
    }

    /** The next attempt could not be written. Its cause may be that the database is unavailable. */
    private static final class NextAttemptException extends RuntimeException {
        private static final long serialVersionUID = 1;

        NextAttemptException(RuntimeException cause) {
            super(cause);
        }
    }

    private interface FinishTransaction {
        Optional<Optional<ExecutionState>> write(Function<EntityManager, Optional<Optional<ExecutionState>>> work);
    }

    /** Writes what follows a failure, in the transaction that stores the failure. */
    private interface FailureWriter {
        void write(EntityManager session, ExecutionId failed, ExecutionError error);
    }

    private Optional<ExecutionState> finish(
            FencingToken fence, ExecutionOutcome outcome, AppendedEntries growth, FinishTransaction transactions) {
        return finish(fence, outcome, growth, transactions, (session, failed, error) -> {});
    }

    private Optional<ExecutionState> finish(
            FencingToken fence,
            ExecutionOutcome outcome,
            AppendedEntries growth,
            FinishTransaction transactions,
            FailureWriter afterFailure) {
        return commit(
                fence,
                growth,
                () -> transactions.write(session -> writeEnd(session, fence, outcome, growth, afterFailure)));
    }

    /** Returns empty if another transaction was just committing the row. */
    private Optional<Optional<ExecutionState>> writeEnd(
            EntityManager session,
            FencingToken fence,
            ExecutionOutcome outcome,
            AppendedEntries growth,
            FailureWriter afterFailure) {
        String cancelRequested = outcome instanceof ExecutionOutcome.ExecutionCancelled ? "any" : "no";
        if (tryFinish(session, fence, growth, outcome, cancelRequested, afterFailure)) {
            return Optional.of(Optional.of(outcome.state()));
        }
        ExecutionEntity row = findOwned(session, fence);
        if (row == null) {
            return Optional.of(Optional.empty());
        }
        if (row.cancelRequested) {
            ExecutionOutcome cancelled = new ExecutionOutcome.ExecutionCancelled();
            if (tryFinish(session, fence, growth, cancelled, "yes", afterFailure)) {
                return Optional.of(Optional.of(cancelled.state()));
            }
            // Another transaction may have ended the execution between these statements.
            session.refresh(row);
            if (!isOwner(row, fence)) {
                return Optional.of(Optional.empty());
            }
        }
        if (growth.isBehind(row)) {
            return Optional.of(Optional.empty());
        }
        return growth.follows(row)
                ? Optional.empty()
                : writeEnd(session, fence, outcome, growth.withoutStored(row), afterFailure);
    }

    private boolean tryFinish(
            EntityManager session,
            FencingToken fence,
            AppendedEntries growth,
            ExecutionOutcome outcome,
            String cancelRequested,
            FailureWriter afterFailure) {
        Query finish = growth.bindParameters(session.createNamedQuery(ExecutionStatements.FINISH), fence)
                .setParameter(11, outcome.state().name())
                .setParameter(
                        12,
                        ExecutionOutcomeEntity.errorOf(outcome)
                                .map(JpaJournal::code)
                                .orElse(""))
                .setParameter(13, cancelRequested);
        if (finish.executeUpdate() == 0) {
            return false;
        }
        session.createNamedQuery(ExecutionStatements.CLOSE_TRACE)
                .setParameter(1, fence.id().value())
                .executeUpdate();
        ExecutionOutcomeEntity.of(fence.id().value(), outcome).ifPresent(session::persist);
        growth.persist(session, fence.id(), searchTerms);
        if (outcome instanceof ExecutionOutcome.ExecutionCompleted completed) {
            completed.saveAs().ifPresent(name -> savedScripts.save(session, fence.id(), name));
        }
        ExecutionOutcomeEntity.errorOf(outcome).ifPresent(error -> afterFailure.write(session, fence.id(), error));
        return true;
    }

    private static String code(ExecutionError error) {
        return LosslessText.encode(error.code());
    }

    /** Returns the execution if the fence still owns it, otherwise null. Called only after a write matched no row. */
    private static @Nullable ExecutionEntity findOwned(EntityManager session, FencingToken fence) {
        ExecutionEntity row = session.find(ExecutionEntity.class, fence.id().value());
        return row != null && isOwner(row, fence) ? row : null;
    }

    private static boolean isOwner(ExecutionEntity row, FencingToken fence) {
        return row.attempt == fence.attempt() && row.state == ExecutionState.RUNNING;
    }

    @Override
    public Optional<StoredPosition> findPosition(ExecutionId id) {
        return database.read(session -> ExecutionQueries.findPosition(session, id));
    }

    @Override
    public long findLastCall(ExecutionId id) {
        return database.read(session -> {
            Long last = session.createQuery(LAST_CALL, Long.class)
                    .setParameter("id", id.value())
                    .getSingleResult();
            return last == null ? 0 : last;
        });
    }

    @Override
    public List<TraceEvent> readEntries(ExecutionId id, long after, int limit) {
        return page("", id, after, limit);
    }

    @Override
    public List<TraceEvent> readTrace(ExecutionId id, long after, int limit) {
        return page(WITHOUT_REPLAY_LOG, id, after, limit);
    }

    private List<TraceEvent> page(String condition, ExecutionId id, long after, int limit) {
        return database.read(session -> {
            long last = findEndOfPage(session, condition, id, after, limit);
            return last == after
                    ? List.of()
                    : session.createQuery(EVENTS + condition + IN_ORDER, TraceEventEntity.class)
                            .setParameter("id", id.value())
                            .setParameter("after", after)
                            .setParameter("last", last)
                            .setHint("eclipselink.read-only", true)
                            .getResultStream()
                            .map(TraceEventMapper::toTraceEvent)
                            .toList();
        });
    }

    /**
     * Returns the sequence number of the last event of a page, or {@code after} when there are no events. Reads only
     * the sizes of the events, because their texts may be larger than memory.
     */
    private static long findEndOfPage(EntityManager session, String condition, ExecutionId id, long after, int limit) {
        List<Object[]> events = session.createQuery(SIZES + condition + IN_ORDER, Object[].class)
                .setParameter("id", id.value())
                .setParameter("after", after)
                .setMaxResults(limit)
                .getResultList();
        long last = after;
        long bytes = 0;
        for (Object[] event : events) {
            bytes += ((Number) event[1]).longValue();
            if (bytes > TracePager.PAGE_BYTES && last > after) {
                break;
            }
            last = ((Number) event[0]).longValue();
        }
        return last;
    }
}
