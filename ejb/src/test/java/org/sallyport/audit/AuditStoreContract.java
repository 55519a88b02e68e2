package org.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionIdGenerator;

/** Contract of {@link AuditStore}, for every implementation. */
public abstract class AuditStoreContract {
    private static final String TENANT = "tenant-a";
    private static final String WILD = "\u0000 \uD800 '; drop table audit_entry; --";
    private static final AuditResult DONE = AuditResult.of(200, "", "");

    private final ExecutionIdGenerator ids = new ExecutionIdGenerator(InstantSource.system(), new Random());

    protected abstract AuditStore store();

    private AuditEntry entry(String tenant, String actor, String action, String object) {
        return new AuditEntry(
                ids.next().value(), tenant, actor, AuditEntry.AuditChannel.REST, "127.0.0.1", action, object);
    }

    private AuditEntry added(String actor, String action, String object) {
        AuditEntry entry = entry(TENANT, actor, action, object);
        store().add(entry);
        return entry;
    }

    private List<AuditEntry> list(AuditFilter filter) {
        return store().list(TENANT, filter, Optional.empty(), 100).stream()
                .map(RecordedAuditEntry::entry)
                .toList();
    }

    private static AuditFilter filter(String actor, String action, String object) {
        return new AuditFilter(
                Optional.of(actor).filter(text -> !text.isEmpty()),
                Optional.of(action).filter(text -> !text.isEmpty()),
                Optional.of(object).filter(text -> !text.isEmpty()),
                Optional.empty());
    }

    @Test
    void startedEntryIsListedAndItsResultFollows() {
        AuditEntry entry = added("key-1", "backend.change", WILD);

        RecordedAuditEntry begun =
                store().list(TENANT, AuditFilter.ALL, Optional.empty(), 10).get(0);
        assertThat(begun.entry()).isEqualTo(entry);
        assertThat(begun.result()).isEmpty();
        assertThat(begun.recordedAt())
                .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));

        AuditResult result = AuditResult.of(403, "", WILD);
        store().add(TENANT, entry.id(), result);
        assertThat(store().list(TENANT, AuditFilter.ALL, Optional.empty(), 10)
                        .get(0)
                        .result())
                .contains(result);
    }

    @Test
    void resultIsWrittenOnceAndOnlyForAnExistingEntry() {
        AuditEntry entry = added("key-1", "backend.change", "b");
        store().add(TENANT, entry.id(), DONE);

        assertThatThrownBy(() -> store().add(TENANT, entry.id(), AuditResult.of(500, "", "")))
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> store().add(TENANT, UUID.randomUUID(), DONE)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> store().add(entry)).isInstanceOf(RuntimeException.class);
        assertThat(store().list(TENANT, AuditFilter.ALL, Optional.empty(), 10))
                .extracting(RecordedAuditEntry::result)
                .containsExactly(Optional.of(DONE));
    }

    @Test
    void tenantSeesOnlyItsOwnEntries() {
        store().add(entry("tenant-b", "key-1", "backend.change", "b"), DONE);

        assertThat(list(AuditFilter.ALL)).isEmpty();
        assertThat(store().list("tenant-b", AuditFilter.ALL, Optional.empty(), 10))
                .hasSize(1);
    }

    @Test
    void filtersCombineAndFindAnObjectByItsCreation() {
        AuditEntry created = added("key-1", "api-key.create", "");
        store().add(TENANT, created.id(), AuditResult.of(201, "key-9", ""));
        AuditEntry deleted = added("key-2", "api-key.delete", "key-9");
        added("key-2", "backend.change", "b");

        assertThat(list(filter("key-2", "", ""))).hasSize(2);
        assertThat(list(filter("", "api-key.delete", ""))).containsExactly(deleted);
        assertThat(list(filter("", "", "key-9"))).containsExactly(deleted, created);
        assertThat(list(filter("key-1", "", "key-9"))).containsExactly(created);
        assertThat(list(filter("key-2", "api-key.delete", "b"))).isEmpty();
        assertThat(list(new AuditFilter(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(Instant.now().plusSeconds(60)))))
                .isEmpty();
    }

    @Test
    void pagesCoverAllEntriesOnceNewestFirst() {
        for (int i = 0; i < 25; i++) {
            store().add(entry(TENANT, "key-1", "backend.change", "b" + i), DONE);
        }
        List<AuditEntry> all = list(AuditFilter.ALL);
        assertThat(all).hasSize(25);
        assertThat(all.get(0).object()).isEqualTo("b24");
        assertThat(store().list(TENANT, AuditFilter.ALL, Optional.of(all.get(9).id()), 10))
                .extracting(RecordedAuditEntry::entry)
                .isEqualTo(all.subList(10, 20));
    }

    @Test
    void purgeDeletesOldEntriesWithTheirResults() {
        store().add(entry(TENANT, "key-1", "backend.change", "b"), DONE);
        added("key-1", "backend.change", "b");

        assertThat(store().purge(Duration.ofHours(1), 10)).isZero();
        assertThat(list(AuditFilter.ALL)).hasSize(2);
        assertThat(store().purge(Duration.ZERO, 10)).isEqualTo(2);
        assertThat(list(AuditFilter.ALL)).isEmpty();
    }
}
