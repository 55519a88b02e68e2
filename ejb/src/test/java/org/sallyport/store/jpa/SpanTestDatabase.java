package org.sallyport.store.jpa;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.TraceEvent;
import org.sallyport.telemetry.SpanOutbox;

/** A database with the stores that tests of spans need. */
public final class SpanTestDatabase implements AutoCloseable {
    private final TestDatabase database = TestDatabase.h2();

    public SpanOutbox spans() {
        return new JpaSpanOutbox(database.database());
    }

    public ExecutionStore store() {
        return new JpaExecutionStore(database.database(), Duration.ofHours(1));
    }

    public Journal journal() {
        return new JpaJournal(database.database());
    }

    public JournalBatch entries(List<TraceEvent> events) {
        return new JournalBatch(events, List.of(), false);
    }

    public void clear() throws SQLException {
        database.clear();
    }

    @Override
    public void close() throws Exception {
        database.close();
    }
}
