package org.sallyport.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

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
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.sallyport.access.ApiKeyStore;
import org.sallyport.access.ApiKeyStoreContract;
import org.sallyport.access.BlockedSubjectStore;
import org.sallyport.access.BlockedSubjectStoreContract;
import org.sallyport.access.KeyUseStore;
import org.sallyport.access.KeyUseStoreContract;
import org.sallyport.access.SessionStore;
import org.sallyport.access.SessionStoreContract;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalLink;
import org.sallyport.approval.ApprovalLinkStore;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.approval.ApprovalStoreContract;
import org.sallyport.approval.Question;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.artifact.ArtifactStoreContract;
import org.sallyport.audit.AuditStore;
import org.sallyport.audit.AuditStoreContract;
import org.sallyport.batch.BatchStore;
import org.sallyport.callback.CallbackStore;
import org.sallyport.callback.CallbackStoreContract;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.CapabilityStoreContract;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.BackendStoreContract;
import org.sallyport.demo.DemoStore;
import org.sallyport.demo.DemoStoreContract;
import org.sallyport.event.EventStore;
import org.sallyport.event.EventStoreContract;
import org.sallyport.execution.AdmissionContract;
import org.sallyport.execution.BatchStoreContract;
import org.sallyport.execution.Census;
import org.sallyport.execution.ExecutionIds;
import org.sallyport.execution.ExecutionSearchContract;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionStoreContract;
import org.sallyport.execution.FinishedExecutions;
import org.sallyport.execution.NestedRunContract;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ResultCache;
import org.sallyport.execution.ResultCacheContract;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalContract;
import org.sallyport.journal.ParkedWaitsContract;
import org.sallyport.journal.RacesContract;
import org.sallyport.node.NodeStore;
import org.sallyport.node.NodeStoreContract;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.SpendingStore;
import org.sallyport.policy.SpendingStoreContract;
import org.sallyport.policy.Terms;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.QuotaStoreContract;
import org.sallyport.quota.TenantStore;
import org.sallyport.quota.TenantStoreContract;
import org.sallyport.rules.PolicyStoreContract;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.ScheduleStoreContract;
import org.sallyport.script.ScriptStore;
import org.sallyport.script.ScriptStoreContract;
import org.sallyport.secret.SecretStore;
import org.sallyport.secret.SecretStoreContract;
import org.sallyport.telemetry.SpanStore;
import org.sallyport.telemetry.SpanStoreContract;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

class H2StoreTest {
    private static TestDatabase database;

    @BeforeAll
    static void open() throws SQLException {
        database = TestDatabase.h2();
        ReadInOrder.listen(database);
    }

    @AfterAll
    static void close() throws Exception {
        try {
            ReadInOrder.check(database);
        } finally {
            database.close();
        }
    }

    @BeforeEach
    void clear() throws SQLException {
        database.clear();
    }

    @Nested
    class Blocked extends BlockedSubjectStoreContract {
        @Override
        protected BlockedSubjectStore store() {
            return new JpaBlockedSubjectStore(database.database());
        }
    }

    @Nested
    class Secrets extends SecretStoreContract {
        @Override
        protected SecretStore store() {
            return new JpaSecretStore(database.database());
        }
    }

    @Nested
    class Backends extends BackendStoreContract {
        @Override
        protected BackendStore store() {
            return new JpaBackendStore(database.database());
        }
    }

    @Nested
    class Executions extends ExecutionStoreContract {
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
    class Admissions extends AdmissionContract {
        @Override
        protected ExecutionStore store(Duration firstCheck) {
            return new JpaExecutionStore(database.database(), firstCheck);
        }

        @Override
        protected ExecutionStore store(Duration firstCheck, int mostOfKey) {
            return new JpaExecutionStore(database.database(), firstCheck, mostOfKey);
        }

        @Override
        protected Census census() {
            return new JpaCensus(database.database());
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
    class Searches extends ExecutionSearchContract {
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
    class Audit extends AuditStoreContract {
        @Override
        protected AuditStore store() {
            return new JpaAuditStore(database.database());
        }
    }

    @Nested
    class Approvals extends ApprovalStoreContract {
        private final ExecutionIds ids = new ExecutionIds(InstantSource.system(), new Random());

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
        void whoTakesALinkBackWaitsForWhoeverUsesIt() throws Exception {
            NewExecution execution = anExecution().build();
            store().accept(execution);
            UUID approval = approvals()
                    .ask(new Question(
                            execution.id(),
                            1,
                            ApprovalKind.CALL,
                            0,
                            new ToolName("mail", "send"),
                            Json.EMPTY_OBJECT,
                            "mail",
                            new Terms(1, Duration.ofHours(1), Terms.AtExpiry.DENY, "")))
                    .id();
            ApprovalLink link = new ApprovalLink(
                    UUID.randomUUID(),
                    execution.tenant(),
                    approval,
                    "",
                    new ApprovalLink.Maker("anna", Optional.empty()),
                    Instant.now().plusSeconds(60).truncatedTo(ChronoUnit.MILLIS),
                    false);
            links().add(link, 1, 1);
            CompletableFuture<Boolean> back = database.database().write(session -> {
                session.find(ApprovalRow.class, approval, LockModeType.PESSIMISTIC_WRITE);
                CompletableFuture<Boolean> begun =
                        CompletableFuture.supplyAsync(() -> links().remove(execution.tenant(), approval, link.id()));
                assertThat(begun).failsWithin(Duration.ofMillis(300));
                return begun;
            });
            assertThat(back.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Nested
    class Finished extends RetentionContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }

    @Nested
    class Capabilities extends CapabilityStoreContract {
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
    class Scripts extends ScriptStoreContract {
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
    class Results extends ResultCacheContract {
        @Override
        protected ResultCache results() {
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
        protected FinishedExecutions finished() {
            return new JpaFinishedExecutions(database.database());
        }
    }

    @Nested
    class Schedules extends ScheduleStoreContract {
        @Override
        protected ScheduleStore schedules() {
            return new JpaScheduleStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected void age(ScheduleId id, Duration by) throws Exception {
            database.agePast("schedule", "due_at", id.value(), by);
            database.agePast("schedule", "look_at", id.value(), by);
        }
    }

    @Nested
    class ToolGraphs extends ToolGraphContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }

    @Nested
    class Spans extends SpanStoreContract {
        @Override
        protected SpanStore spans() {
            return new JpaSpanStore(database.database());
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
    class NestedRuns extends NestedRunContract {
        @Override
        protected NestedRunStore nested() {
            return new JpaNestedRunStore(
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
    class Callbacks extends CallbackStoreContract {
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
    class Spending extends SpendingStoreContract {
        @Override
        protected SpendingStore spending() {
            return new JpaSpendingStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }

        @Override
        protected NestedRunStore nested() {
            return new JpaNestedRunStore(
                    database.database(), new JpaExecutionStore(database.database(), Duration.ofHours(1)));
        }

        @Override
        protected Journal journal() {
            return new JpaJournal(database.database());
        }
    }

    @Nested
    class Quotas extends QuotaStoreContract {
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
    }

    @Nested
    class Tenants extends TenantStoreContract {
        @Override
        protected TenantStore tenants() {
            return new JpaTenantStore(database.database());
        }

        @Override
        protected QuotaStore quotas() {
            return new JpaQuotaStore(database.database());
        }

        @Override
        protected SpendingStore spending() {
            return new JpaSpendingStore(database.database());
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
    class Policies extends PolicyStoreContract {
        @Override
        protected PolicyStore policies() {
            return new JpaPolicyStore(database.database());
        }
    }

    @Nested
    class DeadLetters extends DeadLettersContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }

    @Nested
    class Journals extends JournalContract {
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
    class Races extends RacesContract {
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
    class KeyUses extends KeyUseStoreContract {
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
    class ApiKeys extends ApiKeyStoreContract {
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
    class Sessions extends SessionStoreContract {
        @Override
        protected SessionStore sessions() {
            return new JpaSessionStore(database.database());
        }
    }

    @Nested
    class Batches extends BatchStoreContract {
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
    class Demo extends DemoStoreContract {
        @Override
        protected DemoStore demo() {
            return new JpaDemoStore(database.database());
        }
    }

    @Nested
    class Artifacts extends ArtifactStoreContract {
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
    class Events extends EventStoreContract {
        @Override
        protected EventStore events() {
            return new JpaEventStore(database.database());
        }

        @Override
        protected ExecutionStore store() {
            return new JpaExecutionStore(database.database(), Duration.ofHours(1));
        }
    }

    @Nested
    class ParkedWaits extends ParkedWaitsContract {
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
    class Nodes extends NodeStoreContract {
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
    class Schema extends SchemaContract {
        @Override
        TestDatabase database() {
            return database;
        }
    }
}
