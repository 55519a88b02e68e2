package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import jakarta.persistence.LockModeType;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestClassOrder;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.ApprovalLinkStore;
import org.sallyport.approval.ApprovalRequest;
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
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ResultCache;
import org.sallyport.execution.ResultCacheContract;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.journal.ExecutionRaceContract;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalContract;
import org.sallyport.journal.WaitRegistrationContract;
import org.sallyport.node.NodeStore;
import org.sallyport.node.NodeStoreContract;
import org.sallyport.policy.ApprovalTerms;
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
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.variable.VariableStore;
import org.sallyport.variable.VariableStoreContract;
import org.sallyport.webhook.InboundWebhookStore;
import org.sallyport.webhook.InboundWebhookStoreContract;

@TestClassOrder(ClassOrderer.OrderAnnotation.class)
class H2StoreTest {
    private static TestDatabase database;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.h2();
        H2QueryPlanCheck.recordStatements(database);
    }

    @AfterAll
    static void close() throws Exception {
        database.close();
    }

    /** The last class, because it checks the statements of all others. */
    @Nested
    @Order(Integer.MAX_VALUE)
    class H2QueryPlanTest {
        @Test
        void pagesAreReadInTheOrderOfAnIndex() throws SQLException {
            H2QueryPlanCheck.assertIndexSorted(database);
        }
    }

    @BeforeEach
    void clear() throws SQLException {
        database.clear();
    }

    @Nested
    class H2BlockedSubjectStoreTest extends BlockedSubjectStoreContract {
        @Override
        protected BlockedSubjectStore store() {
            return new JpaBlockedSubjectStore(database.database());
        }
    }

    @Nested
    class H2InboundWebhookStoreTest extends InboundWebhookStoreContract {
        @Override
        protected InboundWebhookStore store() {
            return new JpaInboundWebhookStore(database.database());
        }
    }

    @Nested
    class H2UsedToolStoreTest extends UsedToolStoreContract {
        @Override
        protected UsedToolStore store() {
            return new JpaUsedToolStore(database.database());
        }
    }

    @Nested
    class H2VariableStoreTest extends VariableStoreContract {
        @Override
        protected VariableStore store() {
            return new JpaVariableStore(database.database());
        }
    }

    @Nested
    class H2SecretStoreTest extends SecretStoreContract {
        @Override
        protected SecretStore store() {
            return new JpaSecretStore(database.database());
        }
    }

    @Nested
    class H2BackendStoreTest extends BackendStoreContract {
        @Override
        protected BackendStore store() {
            return new JpaBackendStore(database.database());
        }
    }

    @Nested
    class H2ExecutionStoreTest extends ExecutionStoreContract {
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
    class H2AdmissionTest extends AdmissionContract {
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
    class H2ExecutionSearchTest extends ExecutionSearchContract {
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
    class H2AuditStoreTest extends AuditStoreContract {
        @Override
        protected AuditStore store() {
            return new JpaAuditStore(database.database());
        }
    }

    @Nested
    class H2ApprovalStoreTest extends ApprovalStoreContract {
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

        @Test
        void revokingALinkWaitsForAVoteThatUsesIt() throws Exception {
            NewExecution execution = anExecution().build();
            store().insert(execution);
            UUID approval = approvals()
                    .requestApproval(new ApprovalRequest(
                            execution.id(),
                            1,
                            ApprovalKind.CALL,
                            0,
                            new ToolName("mail", "send"),
                            Json.EMPTY_OBJECT,
                            "mail",
                            new ApprovalTerms(1, Duration.ofHours(1), ApprovalTerms.ExpiryAction.DENY, "")))
                    .id();
            ApprovalLink link = new ApprovalLink(
                    UUID.randomUUID(),
                    execution.tenant(),
                    approval,
                    "",
                    new ApprovalLink.LinkCreator("anna", Optional.empty()),
                    Instant.now().plusSeconds(60).truncatedTo(ChronoUnit.MILLIS),
                    false);
            links().add(link, 1, 1);
            CompletableFuture<Boolean> back = database.database().write(session -> {
                session.find(ApprovalEntity.class, approval, LockModeType.PESSIMISTIC_WRITE);
                CompletableFuture<Boolean> begun =
                        CompletableFuture.supplyAsync(() -> links().remove(execution.tenant(), approval, link.id()));
                assertThat(begun).failsWithin(Duration.ofMillis(300));
                return begun;
            });
            assertThat(back.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Nested
    class H2ExecutionPurgerTest extends ExecutionPurgerContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }

    @Nested
    class H2CapabilityStoreTest extends CapabilityStoreContract {
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
    class H2ScriptStoreTest extends ScriptStoreContract {
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
    class H2ResultCacheTest extends ResultCacheContract {
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
    class H2ScheduleStoreTest extends ScheduleStoreContract {
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
    class H2ScheduleRowsStoreTest extends ScheduleRowsStoreContract {
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
    class H2ToolGraphStoreTest extends ToolGraphStoreContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }

    @Nested
    class H2SpanOutboxTest extends SpanOutboxContract {
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
    class H2NestedExecutionStoreTest extends NestedExecutionStoreContract {
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
    class H2CallbackStoreTest extends CallbackStoreContract {
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
    class H2CostStoreTest extends CostStoreContract {
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
    class H2QuotaStoreTest extends QuotaStoreContract {
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
    class H2TenantStoreTest extends TenantStoreContract {
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
    class H2PolicyStoreTest extends PolicyStoreContract {
        @Override
        protected PolicyStore policies() {
            return new JpaPolicyStore(database.database());
        }
    }

    @Nested
    class H2NextAttemptTest extends NextAttemptContract {
        @Override
        TestDatabase database() {
            return database;
        }

        /** The reserve of the disk is for accepted executions; the end of the failed one is stored nevertheless. */
        @Test
        void noAttemptFollowsWhenTheDiskIsNearlyFull() {
            DatabaseSettings settings = database.settings();
            try (Database full = Database.open(new DatabaseSettings(
                    settings.url(),
                    settings.user(),
                    settings.password(),
                    2,
                    settings.connectTimeout(),
                    Long.MAX_VALUE))) {
                assertThat(failWithoutSpace(full).stop()).contains(RetryPolicy.RetryStop.STORAGE);
            }
        }
    }

    @Nested
    class H2DeadLetterStoreTest extends DeadLetterStoreContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }

    @Nested
    class H2JournalTest extends JournalContract {
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
    class H2ExecutionRaceTest extends ExecutionRaceContract {
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
    class H2KeyUseStoreTest extends KeyUseStoreContract {
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
    class H2ApiKeyStoreTest extends ApiKeyStoreContract {
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
    class H2ConsoleSessionStoreTest extends ConsoleSessionStoreContract {
        @Override
        protected ConsoleSessionStore sessions() {
            return new JpaConsoleSessionStore(database.database());
        }
    }

    @Nested
    class H2BatchStoreTest extends BatchStoreContract {
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
    class H2DemoStoreTest extends DemoStoreContract {
        @Override
        protected DemoStore demo() {
            return new JpaDemoStore(database.database());
        }
    }

    @Nested
    class H2ArtifactStoreTest extends ArtifactStoreContract {
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
    class H2EventStoreTest extends EventStoreContract {
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
    class H2WaitRegistrationTest extends WaitRegistrationContract {
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
    class H2NodeStoreTest extends NodeStoreContract {
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
    class H2SchemaTest extends SchemaContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }
}
