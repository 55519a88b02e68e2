package org.sallyport.store;

import jakarta.persistence.EntityManager;
import jakarta.persistence.Query;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.Parking;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;

/**
 * The journal in the database. Entries that do not follow what is stored are a mistake of the writer and refused with
 * {@link IllegalArgumentException}; the same entries a second time, as a writer sends them that never saw the first
 * answer, are taken for written.
 */
public final class JpaJournal implements Journal {
    private static final String TRACE = "select t from TraceEventRow t where t.executionId = :id and t.seq > :after"
            + " and t.type <> '" + TraceEventRow.RECORDED + "' order by t.executionId, t.seq";
    private static final String ENTRIES =
            "select t from TraceEventRow t where t.executionId = :id and t.seq > :after order by t.executionId, t.seq";
    private static final String RECORDING =
            "select t from TraceEventRow t where t.executionId = :id order by t.executionId, t.seq";

    private static final Logger LOG = System.getLogger(JpaJournal.class.getName());

    private static final int TRIES = 20;
    private static final int MOST_SCRIPTS = 1_000;

    private final Database database;
    private final Marks marks = new Marks();
    private final KeptScripts scripts;

    public JpaJournal(Database database) {
        this(database, MOST_SCRIPTS);
    }

    /** @param mostScripts how many scripts of one tenant are kept */
    public JpaJournal(Database database, int mostScripts) {
        this.database = database;
        this.scripts = new KeptScripts(mostScripts);
    }

    @Override
    public boolean append(Fence fence, Entries entries) {
        Growth growth = new Growth(entries);
        return decided(fence, growth, session -> {
            Query append = growth.bind(session.createNamedQuery(ExecutionStatements.APPEND), fence);
            if (append.executeUpdate() == 0) {
                ExecutionRow row = held(session, fence);
                if (row != null && growth.follows(row)) {
                    return Optional.empty();
                }
                return Optional.of(row != null && growth.isWrittenAlready(row));
            }
            growth.persist(session, fence.id(), marks);
            return Optional.of(true);
        });
    }

    /** Asks again while {@code work} says nothing: its statement met a row that another transaction was just leaving. */
    private <T> T decided(Fence fence, Growth growth, Function<EntityManager, Optional<T>> work) {
        return decided(fence, growth, () -> database.writeShared(work));
    }

    private <T> T decided(Fence fence, Growth growth, Supplier<Optional<T>> work) {
        for (int i = 0; i < TRIES; i++) {
            Optional<T> said = work.get();
            if (said.isPresent()) {
                growth.committed(fence.id(), marks);
                return said.get();
            }
        }
        throw new StoreUnavailableException(
                "the execution is written by others all the time", new IllegalStateException(TRIES + " tries"));
    }

    @Override
    public boolean release(Fence fence, Entries entries) {
        Growth growth = new Growth(entries);
        return decided(fence, growth, session -> {
            Query release = growth.bind(session.createNamedQuery(ExecutionStatements.RELEASE), fence);
            if (release.executeUpdate() == 0) {
                return left(session, fence, growth);
            }
            growth.persist(session, fence.id(), marks);
            return Optional.of(true);
        });
    }

    @Override
    public Parking.Answer park(Fence fence, Entries entries, Parking parking) {
        Growth growth = new Growth(entries);
        Function<EntityManager, Optional<Parking.Answer>> work = session -> {
            if (ParkedWaits.anyThere(session, fence.id(), parking.events())) {
                return Optional.of(Parking.Answer.EVENT_IS_THERE);
            }
            Query park = growth.bind(session.createNamedQuery(ExecutionStatements.PARK), fence)
                    .setParameter(10, parking.most().toMillis())
                    .setParameter(11, parking.reason().text());
            if (park.executeUpdate() == 0) {
                return left(session, fence, growth).map(any -> Parking.Answer.NOT_HELD);
            }
            ParkedWaits.add(session, fence.id(), parking);
            growth.persist(session, fence.id(), marks);
            return Optional.of(Parking.Answer.PARKED);
        };
        // Who waits for an emitter's lock must not hold up others.
        return decided(
                fence,
                growth,
                parking.events().isEmpty()
                        ? () -> database.writeShared(work)
                        : () -> database.writeAgainIfDuplicate(work));
    }

    /** Whether an execution is not to be given back: empty when nothing stands against it. */
    private static Optional<Boolean> left(EntityManager session, Fence fence, Growth growth) {
        ExecutionRow row = held(session, fence);
        return row != null && !row.cancelRequested && growth.follows(row) ? Optional.empty() : Optional.of(false);
    }

    @Override
    public Optional<ExecutionState> finish(Fence fence, Outcome outcome, Entries entries) {
        if (outcome instanceof Outcome.Completed completed && completed.keepAs().isPresent()) {
            try {
                // Alone: who waits for the row of a script must not hold up others.
                return finish(fence, outcome, new Growth(entries), database::writeAgainIfDuplicate);
            } catch (StoreUnavailableException | IllegalArgumentException e) {
                throw e;
            } catch (RuntimeException e) {
                // Its script is a convenience, its end is not.
                LOG.log(Level.ERROR, "the script of execution " + fence + " could not be kept", e);
                return finish(fence, completed.keeping(Optional.empty()), entries);
            }
        }
        return finish(fence, outcome, new Growth(entries), database::writeShared);
    }

    /** Runs work in a transaction. */
    private interface Transactions {
        Optional<Optional<ExecutionState>> write(Function<EntityManager, Optional<Optional<ExecutionState>>> work);
    }

    private Optional<ExecutionState> finish(Fence fence, Outcome outcome, Growth growth, Transactions transactions) {
        return decided(
                fence,
                growth,
                () -> transactions.write(session -> {
                    String cancelRequested = outcome instanceof Outcome.Cancelled ? "any" : "no";
                    if (end(session, fence, growth, outcome, cancelRequested)) {
                        return Optional.of(Optional.of(outcome.state()));
                    }
                    ExecutionRow row = held(session, fence);
                    if (row == null) {
                        return Optional.of(Optional.empty());
                    }
                    if (row.cancelRequested) {
                        Outcome cancelled = new Outcome.Cancelled();
                        if (end(session, fence, growth, cancelled, "yes")) {
                            return Optional.of(Optional.of(cancelled.state()));
                        }
                        // Between these statements somebody else may have ended it.
                        session.refresh(row);
                        if (!holds(row, fence)) {
                            return Optional.of(Optional.empty());
                        }
                    }
                    if (growth.follows(row)) {
                        return Optional.empty();
                    }
                    throw growth.doesNotFollow(row);
                }));
    }

    private boolean end(EntityManager session, Fence fence, Growth growth, Outcome outcome, String cancelRequested) {
        Query finish = growth.bind(session.createNamedQuery(ExecutionStatements.FINISH), fence)
                .setParameter(10, outcome.state().name())
                .setParameter(
                        11, OutcomeRow.errorOf(outcome).map(JpaJournal::code).orElse(""))
                .setParameter(12, cancelRequested);
        if (finish.executeUpdate() == 0) {
            return false;
        }
        session.createNamedQuery(ExecutionStatements.CLOSE_TRACE)
                .setParameter(1, fence.id().value())
                .executeUpdate();
        OutcomeRow.of(fence.id().value(), outcome).ifPresent(session::persist);
        growth.persist(session, fence.id(), marks);
        if (outcome instanceof Outcome.Completed completed) {
            completed.keepAs().ifPresent(name -> scripts.keep(session, fence.id(), name));
        }
        return true;
    }

    private static String code(ExecutionError error) {
        return LosslessText.encode(error.code());
    }

    /** The execution, if the fence still holds it. Only asked when a write matched no row. */
    private static @Nullable ExecutionRow held(EntityManager session, Fence fence) {
        ExecutionRow row = session.find(ExecutionRow.class, fence.id().value());
        return row != null && holds(row, fence) ? row : null;
    }

    private static boolean holds(ExecutionRow row, Fence fence) {
        return row.attempt == fence.attempt() && row.state == ExecutionState.RUNNING;
    }

    @Override
    public List<TraceEvent> recording(ExecutionId id) {
        return database.read(session -> session.createQuery(RECORDING, TraceEventRow.class)
                .setParameter("id", id.value())
                .setHint("eclipselink.read-only", true)
                .getResultStream()
                .map(TraceEvents::of)
                .toList());
    }

    @Override
    public List<TraceEvent> entries(ExecutionId id, long after, int limit) {
        return page(ENTRIES, id, after, limit);
    }

    @Override
    public List<TraceEvent> trace(ExecutionId id, long after, int limit) {
        return page(TRACE, id, after, limit);
    }

    private List<TraceEvent> page(String query, ExecutionId id, long after, int limit) {
        return database.read(session -> session.createQuery(query, TraceEventRow.class)
                .setParameter("id", id.value())
                .setParameter("after", after)
                .setMaxResults(limit)
                .setHint("eclipselink.read-only", true)
                .getResultStream()
                .map(TraceEvents::of)
                .toList());
    }

    /** By how much entries lengthen an execution's record, and where it must end now. */
    private static final class Growth {
        private final Entries entries;
        private final Output output;
        private final long lastSeq;
        private boolean persisted;

        Growth(Entries entries) {
            this.entries = entries;
            this.output = new Output(entries.output());
            this.lastSeq =
                    entries.events().isEmpty() ? -1 : entries.events().get(0).seq() - 1;
            long expected = lastSeq;
            for (TraceEvent event : entries.events()) {
                if (event.seq() != ++expected) {
                    throw new IllegalArgumentException("trace with a gap before " + event.seq());
                }
            }
        }

        Query bind(Query update, Fence fence) {
            return update.setParameter(1, fence.id().value())
                    .setParameter(2, fence.attempt())
                    .setParameter(3, (long) entries.events().size())
                    .setParameter(4, output.length(OutputKind.OUT))
                    .setParameter(5, output.length(OutputKind.ERR))
                    .setParameter(6, entries.truncated())
                    .setParameter(7, lastSeq)
                    .setParameter(8, output.start(OutputKind.OUT))
                    .setParameter(9, output.start(OutputKind.ERR));
        }

        void persist(EntityManager session, ExecutionId id, Marks marks) {
            entries.progress()
                    .ifPresent(progress -> session.createNamedQuery(ExecutionStatements.PROGRESS)
                            .setParameter(1, id.value())
                            .setParameter(2, progress.permille())
                            .setParameter(3, LosslessText.encode(progress.text()))
                            .executeUpdate());
            entries.events().forEach(event -> session.persist(new TraceEventRow(id, event)));
            output.rows(id).forEach(session::persist);
            marks.add(session, id, entries.events());
            persisted = true;
        }

        /** To be told once the transaction is committed, whatever it did. */
        void committed(ExecutionId id, Marks marks) {
            if (persisted) {
                marks.committed(id, entries.events());
            }
        }

        /** Whether the entries are what comes next. */
        boolean follows(ExecutionRow row) {
            return (lastSeq < 0 || row.lastSeq == lastSeq)
                    && startsAt(OutputKind.OUT, row.outLength)
                    && startsAt(OutputKind.ERR, row.errLength);
        }

        private boolean startsAt(OutputKind kind, long length) {
            return output.start(kind) == Output.ANYWHERE || output.start(kind) == length;
        }

        /** {@link IllegalArgumentException} when the entries are neither next nor last. */
        boolean isWrittenAlready(ExecutionRow row) {
            boolean written =
                    (lastSeq < 0 || row.lastSeq == lastSeq + entries.events().size())
                            && endsAt(OutputKind.OUT, row.outLength)
                            && endsAt(OutputKind.ERR, row.errLength);
            if (!written) {
                throw doesNotFollow(row);
            }
            return true;
        }

        private boolean endsAt(OutputKind kind, long length) {
            return output.start(kind) == Output.ANYWHERE || output.start(kind) + output.length(kind) == length;
        }

        IllegalArgumentException doesNotFollow(ExecutionRow row) {
            return new IllegalArgumentException("entries after " + lastSeq + " with output at "
                    + output.start(OutputKind.OUT) + "/" + output.start(OutputKind.ERR)
                    + " do not follow what is stored: "
                    + row.lastSeq + ", " + row.outLength + "/" + row.errLength);
        }
    }
}
