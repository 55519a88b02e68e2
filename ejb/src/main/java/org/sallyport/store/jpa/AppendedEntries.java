package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.Query;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.OutputKind;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.JournalSize;
import org.sallyport.journal.TraceEvent;

/** The entries of one write: how much they lengthen the stored journal and output, and where both must end now. */
final class AppendedEntries {
    private final JournalBatch entries;
    private final OutputQueries output;
    private final long expectedLastSeq;
    private final long journalBytes;
    /** The entries from which stored ones were cut; itself if none were. */
    private final AppendedEntries whole;

    private boolean persisted;

    AppendedEntries(JournalBatch entries) {
        this(entries, null);
    }

    private AppendedEntries(JournalBatch entries, @Nullable AppendedEntries whole) {
        this.entries = entries;
        this.whole = whole == null ? this : whole;
        this.output = new OutputQueries(entries.output());
        this.expectedLastSeq =
                entries.events().isEmpty() ? -1 : entries.events().get(0).seq() - 1;
        this.journalBytes = JournalSize.ofEntries(entries.events());
        long expected = expectedLastSeq;
        for (TraceEvent event : entries.events()) {
            if (event.seq() != ++expected) {
                throw new IllegalArgumentException("trace with a gap before " + event.seq());
            }
        }
    }

    Query bindParameters(Query update, FencingToken fence) {
        return update.setParameter(1, fence.id().value())
                .setParameter(2, fence.attempt())
                .setParameter(3, (long) entries.events().size())
                .setParameter(4, output.length(OutputKind.OUT))
                .setParameter(5, output.length(OutputKind.ERR))
                .setParameter(6, entries.truncated())
                .setParameter(7, expectedLastSeq)
                .setParameter(8, output.start(OutputKind.OUT))
                .setParameter(9, output.start(OutputKind.ERR))
                .setParameter(10, journalBytes);
    }

    /** Returns the approximate number of bytes that these entries add to the database. */
    long sizeBytes() {
        return journalBytes + output.length(OutputKind.OUT) + output.length(OutputKind.ERR);
    }

    void persist(EntityManager session, ExecutionId id, SearchTerms terms) {
        entries.progress()
                .ifPresent(progress -> session.createNamedQuery(ExecutionStatements.PROGRESS)
                        .setParameter(1, id.value())
                        .setParameter(2, progress.permille())
                        .setParameter(3, LosslessText.encode(progress.text()))
                        .executeUpdate());
        entries.blockedAttempts()
                .ifPresent(attempts -> session.createNamedQuery(ExecutionStatements.BLOCKED_ATTEMPTS)
                        .setParameter(1, id.value())
                        .setParameter(2, LosslessText.encode(BlockedAttemptsColumn.of(attempts)))
                        .executeUpdate());
        entries.events().forEach(event -> session.persist(new TraceEventEntity(id, event)));
        output.toEntities(id).forEach(session::persist);
        terms.addToolTerms(session, id, entries.events());
        whole.persisted = true;
    }

    /**
     * The caller calls this after the transaction has committed, whether or not the transaction stored the entries.
     */
    void onCommitted(ExecutionId id, SearchTerms terms) {
        if (persisted) {
            terms.onCommitted(id, entries.events());
        }
    }

    /** Whether the entries directly follow the stored ones. */
    boolean follows(ExecutionEntity row) {
        return (expectedLastSeq < 0 || row.lastSeq == expectedLastSeq)
                && startsAt(OutputKind.OUT, row.outLength)
                && startsAt(OutputKind.ERR, row.errLength);
    }

    private boolean startsAt(OutputKind kind, long length) {
        return output.start(kind) == OutputQueries.ANY_OFFSET || output.start(kind) == length;
    }

    /**
     * Whether the store has fewer events than the writer has stored before: it has lost some, as a standby that becomes
     * the primary may.
     */
    boolean isBehind(ExecutionEntity row) {
        return row.lastSeq < expectedLastSeq;
    }

    /**
     * Returns the entries without the first ones that are stored already, because an earlier write of them was
     * committed and not answered. They directly follow the stored ones.
     *
     * @throws IllegalArgumentException if the stored entries do not end between two of these entries
     */
    AppendedEntries withoutStored(ExecutionEntity row) {
        JournalBatch unstored = new JournalBatch(
                entries.events().stream()
                        .filter(event -> event.seq() > row.lastSeq)
                        .toList(),
                entries.output().stream()
                        .filter(piece -> piece.end() > storedLength(row, piece.kind()))
                        .toList(),
                entries.truncated(),
                entries.progress(),
                entries.blockedAttempts());
        AppendedEntries rest = new AppendedEntries(unstored, whole);
        if (endsBefore(row) || !rest.follows(row)) {
            throw doesNotFollow(row);
        }
        return rest;
    }

    private static long storedLength(ExecutionEntity row, OutputKind kind) {
        return kind == OutputKind.OUT ? row.outLength : row.errLength;
    }

    /** Whether more is stored than these entries. */
    private boolean endsBefore(ExecutionEntity row) {
        return expectedLastSeq >= 0 && expectedLastSeq + entries.events().size() < row.lastSeq
                || output.endsBefore(OutputKind.OUT, row.outLength)
                || output.endsBefore(OutputKind.ERR, row.errLength);
    }

    private IllegalArgumentException doesNotFollow(ExecutionEntity row) {
        return new IllegalArgumentException("entries after " + expectedLastSeq + " with output at "
                + output.start(OutputKind.OUT) + "/" + output.start(OutputKind.ERR)
                + " do not follow what is stored: "
                + row.lastSeq + ", " + row.outLength + "/" + row.errLength);
    }
}
