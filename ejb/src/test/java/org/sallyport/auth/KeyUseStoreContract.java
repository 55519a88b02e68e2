package org.sallyport.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Contract of {@link KeyUseStore}, for every implementation. Each test starts with an empty store. */
public abstract class KeyUseStoreContract {
    private static final Instant NOON = Instant.parse("2026-10-25T12:00:00.5Z");

    protected abstract KeyUseStore uses();

    protected abstract ApiKeyStore keys();

    private void put(String id, String tenant, String name) {
        keys().put(new ApiKey(id, tenant, name, "00", Set.of(Role.SUBMITTER), Optional.empty()));
    }

    @Test
    void lastUseOnlyMovesForward() {
        put("k1", "tenant-a", "");
        put("k2", "tenant-a", "");
        assertThat(uses().lastUsedByKey("tenant-a")).isEmpty();

        uses().recordUses(Map.of("k1", NOON));
        assertThat(uses().lastUsedByKey("tenant-a")).isEqualTo(Map.of("k1", NOON));
        uses().recordUses(Map.of("k1", NOON.minusSeconds(1), "k2", NOON));
        assertThat(uses().lastUsedByKey("tenant-a")).isEqualTo(Map.of("k1", NOON, "k2", NOON));
        uses().recordUses(Map.of("k1", NOON.plusSeconds(1)));
        assertThat(uses().lastUsedByKey("tenant-a")).containsEntry("k1", NOON.plusSeconds(1));
    }

    @Test
    void tenantSeesOnlyUsesOfItsOwnKeys() {
        put("k1", "tenant-a", "");
        put("k2", "tenant-b", "");
        uses().recordUses(Map.of("k1", NOON, "k2", NOON.plusSeconds(1)));

        assertThat(uses().lastUsedByKey("tenant-b")).isEqualTo(Map.of("k2", NOON.plusSeconds(1)));
        assertThat(uses().lastUsedByKey("tenant-c")).isEmpty();
    }

    @Test
    void useOfAnUnknownKeyIsIgnored() {
        uses().recordUses(Map.of("none", NOON, "\u0000", NOON));

        assertThat(keys().find("none")).isEmpty();
        assertThat(uses().lastUsedByKey("tenant-a")).isEmpty();
        uses().recordUses(Map.of());
    }

    @Test
    void changingAKeyKeepsItsLastUse() {
        put("k1", "tenant-a", "one");
        uses().recordUses(Map.of("k1", NOON));

        put("k1", "tenant-a", "renamed");
        keys().replaceGrants("tenant-a", "k1", List.of("demo.*"));

        assertThat(uses().lastUsedByKey("tenant-a")).isEqualTo(Map.of("k1", NOON));
        assertThat(keys().find("k1").orElseThrow().name()).isEqualTo("renamed");
    }
}
