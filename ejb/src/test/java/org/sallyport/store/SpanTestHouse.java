package org.sallyport.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.telemetry.SpanStore;

/** A database with what tests of spans need of it. */
public final class SpanTestHouse implements AutoCloseable {
    private final TestDatabase database = TestDatabase.h2();

    public SpanStore spans() {
        return new JpaSpanStore(database.database());
    }

    public ExecutionStore store() {
        return new JpaExecutionStore(database.database(), Duration.ofHours(1));
    }

    public Journal journal() {
        return new JpaJournal(database.database());
    }

    public Entries entries(List<TraceEvent> events) {
        return new Entries(events, List.of(), false);
    }

    public void clear() throws SQLException {
        database.clear();
    }

    @Override
    public void close() throws Exception {
        database.close();
    }
}
