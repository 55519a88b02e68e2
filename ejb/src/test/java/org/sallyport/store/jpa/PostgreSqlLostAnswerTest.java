package org.sallyport.store.jpa;

import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.sallyport.approval.ApprovalLinkStore;
import org.sallyport.approval.ApprovalLostAnswerContract;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.batch.BatchStore;
import org.sallyport.event.EventLostAnswerContract;
import org.sallyport.event.EventStore;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.execution.StoreLostAnswerContract;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalLostAnswerContract;
import org.sallyport.policy.CostLostAnswerContract;
import org.sallyport.policy.CostStore;
import org.sallyport.script.ScriptStore;

/** Writes whose commits PostgreSQL does not answer. */
class PostgreSqlLostAnswerTest {
    private static final CommitFaults FAULTS = new CommitFaults();
    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.postgreSql(FAULTS);
    }

    @AfterAll
    static void close() throws Exception {
        database.close();
    }

    @BeforeEach
    void clear() throws SQLException {
        database.clear();
    }

    @AfterEach
    void reset() throws SQLException {
        FAULTS.reset();
    }

    private static ExecutionStore executionStore() {
        return new JpaExecutionStore(database.database(), Duration.ofHours(1));
    }

    @Nested
    class PgJournalLostAnswerTest extends JournalLostAnswerContract {
        @Override
        protected ExecutionStore store() {
            return executionStore();
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }

        @Override
        protected ScriptStore scripts() {
            return new JpaScriptStore(database.database());
        }

        @Override
        protected EventStore eventStore() {
            return new JpaEventStore(database.database());
        }

        @Override
        protected CommitFaults faults() {
            return FAULTS;
        }
    }

    @Nested
    class PgStoreLostAnswerTest extends StoreLostAnswerContract {
        @Override
        protected ExecutionStore store() {
            return executionStore();
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }

        @Override
        protected BatchStore batches() {
            return new JpaBatchStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected NestedExecutionStore nested() {
            return new JpaNestedExecutionStore(
                    database.database(), new JpaExecutionStore(database.database(), Duration.ofHours(1)));
        }

        @Override
        protected CommitFaults faults() {
            return FAULTS;
        }
    }

    @Nested
    class PgEventLostAnswerTest extends EventLostAnswerContract {
        @Override
        protected EventStore events() {
            return new JpaEventStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return executionStore();
        }

        @Override
        protected CommitFaults faults() {
            return FAULTS;
        }
    }

    @Nested
    class PgApprovalLostAnswerTest extends ApprovalLostAnswerContract {
        private final ExecutionIdGenerator ids = new ExecutionIdGenerator(InstantSource.system(), new Random());

        @Override
        protected ApprovalStore approvals() {
            return new JpaApprovalStore(database.database(), () -> ids.next().value());
        }

        @Override
        protected ApprovalLinkStore links() {
            return new JpaApprovalLinkStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return executionStore();
        }

        @Override
        protected CommitFaults faults() {
            return FAULTS;
        }
    }

    @Nested
    class PgCostLostAnswerTest extends CostLostAnswerContract {
        @Override
        protected CostStore costStore() {
            return new JpaCostStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return executionStore();
        }

        @Override
        protected CommitFaults faults() {
            return FAULTS;
        }
    }
}
