package org.sallyport.store.jpa;

import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.sallyport.approval.ApprovalLinkStore;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.ApprovalStoreContract;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.artifact.ArtifactStoreContract;
import org.sallyport.audit.AuditStore;
import org.sallyport.audit.AuditStoreContract;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.ApiKeyStoreContract;
import org.sallyport.auth.BlockedSubjectStore;
import org.sallyport.auth.BlockedSubjectStoreContract;
import org.sallyport.auth.ConsoleSessionStore;
import org.sallyport.auth.ConsoleSessionStoreContract;
import org.sallyport.auth.KeyUseStore;
import org.sallyport.auth.KeyUseStoreContract;
import org.sallyport.batch.BatchStore;
import org.sallyport.callback.CallbackStore;
import org.sallyport.callback.CallbackStoreContract;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.CapabilityStoreContract;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.capability.UsedToolStoreContract;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.BackendStoreContract;
import org.sallyport.demo.DemoStore;
import org.sallyport.demo.DemoStoreContract;
import org.sallyport.event.EventStore;
import org.sallyport.event.EventStoreContract;
import org.sallyport.execution.AdmissionContract;
import org.sallyport.execution.BatchStoreContract;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionPurger;
import org.sallyport.execution.ExecutionSearchContract;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionStoreContract;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.execution.NestedExecutionStoreContract;
import org.sallyport.execution.ResultCache;
import org.sallyport.execution.ResultCacheContract;
import org.sallyport.journal.ExecutionRaceContract;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalContract;
import org.sallyport.journal.WaitRegistrationContract;
import org.sallyport.node.NodeStore;
import org.sallyport.node.NodeStoreContract;
import org.sallyport.policy.CostStore;
import org.sallyport.policy.CostStoreContract;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policyengine.PolicyStoreContract;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.QuotaStoreContract;
import org.sallyport.quota.TenantStore;
import org.sallyport.quota.TenantStoreContract;
import org.sallyport.schedule.ScheduleBatchStore;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleRowsStore;
import org.sallyport.schedule.ScheduleRowsStoreContract;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.ScheduleStoreContract;
import org.sallyport.script.ScriptStore;
import org.sallyport.script.ScriptStoreContract;
import org.sallyport.secrets.SecretStore;
import org.sallyport.secrets.SecretStoreContract;
import org.sallyport.telemetry.SpanOutbox;
import org.sallyport.telemetry.SpanOutboxContract;
import org.sallyport.variable.VariableStore;
import org.sallyport.variable.VariableStoreContract;
import org.sallyport.webhook.InboundWebhookStore;
import org.sallyport.webhook.InboundWebhookStoreContract;

class PostgreSqlStoreTest {
    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.postgreSql();
    }

    @AfterAll
    static void close() throws Exception {
        database.close();
    }

    @BeforeEach
    void clear() throws SQLException {
        database.clear();
    }

    @Nested
    class PgBlockedSubjectStoreTest extends BlockedSubjectStoreContract {
        @Override
        protected BlockedSubjectStore store() {
            return new JpaBlockedSubjectStore(database.database());
        }
    }

    @Nested
    class PgInboundWebhookStoreTest extends InboundWebhookStoreContract {
        @Override
        protected InboundWebhookStore store() {
            return new JpaInboundWebhookStore(database.database());
        }
    }

    @Nested
    class PgUsedToolStoreTest extends UsedToolStoreContract {
        @Override
        protected UsedToolStore store() {
            return new JpaUsedToolStore(database.database());
        }
    }

    @Nested
    class PgVariableStoreTest extends VariableStoreContract {
        @Override
        protected VariableStore store() {
            return new JpaVariableStore(database.database());
        }
    }

    @Nested
    class PgSecretStoreTest extends SecretStoreContract {
        @Override
        protected SecretStore store() {
            return new JpaSecretStore(database.database());
        }
    }

    @Nested
    class PgBackendStoreTest extends BackendStoreContract {
        @Override
        protected BackendStore store() {
            return new JpaBackendStore(database.database());
        }
    }

    @Nested
    class PgExecutionStoreTest extends ExecutionStoreContract {
        @Override
        protected ExecutionStore store(Duration firstCheck) {
            return new JpaExecutionStore(database.database(), firstCheck);
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgAdmissionTest extends AdmissionContract {
        @Override
        protected ExecutionStore store(Duration firstCheck) {
            return new JpaExecutionStore(database.database(), firstCheck);
        }

        @Override
        protected ExecutionStore store(Duration firstCheck, int mostOfKey) {
            return new JpaExecutionStore(database.database(), firstCheck, mostOfKey);
        }

        @Override
        protected ExecutionCounts census() {
            return new JpaExecutionCounts(database.database());
        }

        @Override
        protected BatchStore batches(Duration firstCheck) {
            return new JpaBatchStore(database.database(), firstCheck);
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgExecutionSearchTest extends ExecutionSearchContract {
        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgAuditStoreTest extends AuditStoreContract {
        @Override
        protected AuditStore store() {
            return new JpaAuditStore(database.database());
        }
    }

    @Nested
    class PgApprovalStoreTest extends ApprovalStoreContract {
        private final ExecutionIdGenerator ids = new ExecutionIdGenerator(InstantSource.system(), new Random());

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }

        @Override
        protected ApprovalStore approvals() {
            return new JpaApprovalStore(database.database(), () -> ids.next().value());
        }

        @Override
        protected ApprovalLinkStore links() {
            return new JpaApprovalLinkStore(database.database());
        }

        @Override
        protected AuditStore audit() {
            return new JpaAuditStore(database.database());
        }
    }

    @Nested
    class PgExecutionPurgerTest extends ExecutionPurgerContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }

    @Nested
    class PgCapabilityStoreTest extends CapabilityStoreContract {
        @Override
        protected CapabilityStore capabilities() {
            return new JpaCapabilityStore(database.database());
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }
    }

    @Nested
    class PgScriptStoreTest extends ScriptStoreContract {
        @Override
        protected ScriptStore scripts() {
            return new JpaScriptStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal(int mostScripts) {
            return new JpaJournal(database.database(), mostScripts);
        }
    }

    @Nested
    class PgResultCacheTest extends ResultCacheContract {
        @Override
        protected ResultCache resultCache() {
            return new JpaResultCache(
                    database.database(), new JpaExecutionStore(database.database(), Duration.ofHours(1)));
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }

        @Override
        protected ExecutionPurger purger() {
            return new JpaExecutionPurger(database.database());
        }
    }

    @Nested
    class PgScheduleStoreTest extends ScheduleStoreContract {
        @Override
        protected ScheduleStore schedules() {
            return new JpaScheduleStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected void backdate(ScheduleId id, Duration by) throws Exception {
            database.backdate("schedule", "due_at", id.value(), by);
            database.backdate("schedule", "next_check_at", id.value(), by);
        }
    }

    @Nested
    class PgScheduleRowsStoreTest extends ScheduleRowsStoreContract {
        @Override
        protected ScheduleStore schedules() {
            return new JpaScheduleStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected ScheduleRowsStore rows() {
            return new JpaScheduleRowsStore(database.database());
        }

        @Override
        protected ScheduleBatchStore scheduleBatches() {
            return new JpaScheduleBatchStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected BatchStore batches() {
            return new JpaBatchStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected ExecutionStore executions() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected void backdate(ScheduleId id, Duration by) throws Exception {
            database.backdate("schedule", "due_at", id.value(), by);
            database.backdate("schedule", "next_check_at", id.value(), by);
        }

        @Override
        protected void backdateCheck(ScheduleId id, Duration by) throws Exception {
            database.backdate("schedule", "next_check_at", id.value(), by);
        }

        @Override
        protected AutoCloseable lock(ScheduleId id) throws Exception {
            return database.lockRow("schedule", id.value());
        }
    }

    @Nested
    class PgToolGraphStoreTest extends ToolGraphStoreContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }

    @Nested
    class PgSpanOutboxTest extends SpanOutboxContract {
        @Override
        protected SpanOutbox spans() {
            return new JpaSpanOutbox(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgNestedExecutionStoreTest extends NestedExecutionStoreContract {
        @Override
        protected NestedExecutionStore nested() {
            return new JpaNestedExecutionStore(
                    database.database(), new JpaExecutionStore(database.database(), Duration.ofHours(1)));
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgCallbackStoreTest extends CallbackStoreContract {
        @Override
        protected CallbackStore callbacks() {
            return new JpaCallbackStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgCostStoreTest extends CostStoreContract {
        @Override
        protected CostStore costStore() {
            return new JpaCostStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected NestedExecutionStore nested() {
            return new JpaNestedExecutionStore(
                    database.database(), new JpaExecutionStore(database.database(), Duration.ofHours(1)));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgQuotaStoreTest extends QuotaStoreContract {
        @Override
        protected QuotaStore quotas() {
            return new JpaQuotaStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected ArtifactStore artifacts() {
            return new JpaArtifactStore(database.database());
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgTenantStoreTest extends TenantStoreContract {
        @Override
        protected TenantStore tenants() {
            return new JpaTenantStore(database.database());
        }

        @Override
        protected QuotaStore quotas() {
            return new JpaQuotaStore(database.database());
        }

        @Override
        protected CostStore costStore() {
            return new JpaCostStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected ApiKeyStore keys() {
            return new JpaApiKeyStore(database.database());
        }
    }

    @Nested
    class PgPolicyStoreTest extends PolicyStoreContract {
        @Override
        protected PolicyStore policies() {
            return new JpaPolicyStore(database.database());
        }
    }

    @Nested
    class PgNextAttemptTest extends NextAttemptContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }

    @Nested
    class PgDeadLetterStoreTest extends DeadLetterStoreContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }

    @Nested
    class PgJournalTest extends JournalContract {
        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgExecutionRaceTest extends ExecutionRaceContract {
        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgKeyUseStoreTest extends KeyUseStoreContract {
        @Override
        protected KeyUseStore uses() {
            return new JpaKeyUseStore(database.database());
        }

        @Override
        protected ApiKeyStore keys() {
            return new JpaApiKeyStore(database.database());
        }
    }

    @Nested
    class PgApiKeyStoreTest extends ApiKeyStoreContract {
        @Override
        protected ApiKeyStore keys() {
            return new JpaApiKeyStore(database.database());
        }

        @Override
        protected void forgetGrants(String id) {
            database.database()
                    .write(session -> session.createNativeQuery("update api_key set grants = null where id = ?1")
                            .setParameter(1, id)
                            .executeUpdate());
        }
    }

    @Nested
    class PgConsoleSessionStoreTest extends ConsoleSessionStoreContract {
        @Override
        protected ConsoleSessionStore sessions() {
            return new JpaConsoleSessionStore(database.database());
        }
    }

    @Nested
    class PgBatchStoreTest extends BatchStoreContract {
        @Override
        protected BatchStore batches(Duration firstCheck) {
            return new JpaBatchStore(database.database(), firstCheck);
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgDemoStoreTest extends DemoStoreContract {
        @Override
        protected DemoStore demo() {
            return new JpaDemoStore(database.database());
        }
    }

    @Nested
    class PgArtifactStoreTest extends ArtifactStoreContract {
        @Override
        protected ArtifactStore artifacts() {
            return new JpaArtifactStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgEventStoreTest extends EventStoreContract {
        @Override
        protected EventStore events() {
            return new JpaEventStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected void backdate(String tenant, long seq, Duration by) throws Exception {
            database.backdateEvent(tenant, seq, by);
        }
    }

    @Nested
    class PgWaitRegistrationTest extends WaitRegistrationContract {
        @Override
        protected EventStore events() {
            return new JpaEventStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgNodeStoreTest extends NodeStoreContract {
        @Override
        protected NodeStore nodes() {
            return new JpaNodeStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class PgSchemaTest extends SchemaContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }
}
