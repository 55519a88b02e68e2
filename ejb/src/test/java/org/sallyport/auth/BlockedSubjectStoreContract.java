package org.sallyport.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;

/** Contract of {@link BlockedSubjectStore}, for every implementation. Each test starts with an empty store. */
public abstract class BlockedSubjectStoreContract {
    private static final Instant AT = Instant.parse("2026-10-25T00:30:00.5Z");
    private static final ExternalSubject ALICE = new ExternalSubject("https://id.example", "alice");

    protected abstract BlockedSubjectStore store();

    private static BlockedSubject entry(int number, String tenant, ExternalSubject subject) {
        return new BlockedSubject(new UUID(number, 7), tenant, subject, "re\u0000ason", "k\uD8001", AT);
    }

    @Test
    void blockedSubjectIsFoundAsStored() {
        BlockedSubject entry = entry(1, "tenant-a", ALICE);
        assertThat(store().contains("tenant-a", ALICE)).isFalse();
        assertThat(store().add(entry)).isEqualTo(entry);

        assertThat(store().contains("tenant-a", ALICE)).isTrue();
        assertThat(store().list("tenant-a", Optional.empty(), 10)).containsExactly(entry);
    }

    @Test
    void otherSubjectsAndTenantsAreNotBlocked() {
        store().add(entry(1, "tenant-a", ALICE));

        assertThat(store().contains("tenant-b", ALICE)).isFalse();
        assertThat(store().contains("tenant-a", new ExternalSubject("https://id.example", "Alice")))
                .isFalse();
        assertThat(store().contains("tenant-a", new ExternalSubject("https://id.example/", "alice")))
                .isFalse();
        assertThat(store().list("tenant-b", Optional.empty(), 10)).isEmpty();
    }

    @Test
    void concurrentBlocksOfOneSubjectCreateOneEntry() throws Exception {
        List<BlockedSubject> answers =
                ConcurrencyTestUtil.runConcurrently(8, n -> store().add(entry(n + 1, "tenant-a", ALICE)));

        assertThat(answers.stream().distinct()).hasSize(1);
        assertThat(store().list("tenant-a", Optional.empty(), 10)).containsExactly(answers.get(0));
    }

    @Test
    void onlyTheOwningTenantCanUnblock() {
        BlockedSubject entry = store().add(entry(1, "tenant-a", ALICE));

        assertThat(store().remove("tenant-b", entry.id())).isEmpty();
        assertThat(store().contains("tenant-a", ALICE)).isTrue();
        assertThat(store().remove("tenant-a", entry.id())).contains(entry);
        assertThat(store().remove("tenant-a", entry.id())).isEmpty();
        assertThat(store().contains("tenant-a", ALICE)).isFalse();
    }

    @Test
    void listReturnsPagesNewestFirst() {
        for (int i = 1; i <= 5; i++) {
            store().add(entry(i, "tenant-a", new ExternalSubject("https://id.example", "s" + i)));
        }

        List<BlockedSubject> first = store().list("tenant-a", Optional.empty(), 2);
        assertThat(first).extracting(each -> each.subject().name()).containsExactly("s5", "s4");
        assertThat(store().list("tenant-a", Optional.of(first.get(1).id()), 10))
                .extracting(each -> each.subject().name())
                .containsExactly("s3", "s2", "s1");
    }
}
