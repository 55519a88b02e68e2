package org.sallyport.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What every store of the uses of keys must do. Each test finds the store empty. */
public abstract class KeyUseStoreContract {
    private static final Instant NOON = Instant.parse("2026-10-25T12:00:00.5Z");

    protected abstract KeyUseStore uses();

    protected abstract ApiKeyStore keys();

    private void put(String id, String tenant, String name) {
        keys().put(new ApiKey(id, tenant, name, "00", Set.of(Role.SUBMITTER), Optional.empty()));
    }

    @Test
    void aUseIsKeptUntilALaterOne() {
        put("k1", "tenant-a", "");
        put("k2", "tenant-a", "");
        assertThat(uses().list("tenant-a")).isEmpty();

        uses().note(Map.of("k1", NOON));
        assertThat(uses().list("tenant-a")).isEqualTo(Map.of("k1", NOON));
        uses().note(Map.of("k1", NOON.minusSeconds(1), "k2", NOON));
        assertThat(uses().list("tenant-a")).isEqualTo(Map.of("k1", NOON, "k2", NOON));
        uses().note(Map.of("k1", NOON.plusSeconds(1)));
        assertThat(uses().list("tenant-a")).containsEntry("k1", NOON.plusSeconds(1));
    }

    @Test
    void aTenantSeesTheUsesOfItsOwnKeys() {
        put("k1", "tenant-a", "");
        put("k2", "tenant-b", "");
        uses().note(Map.of("k1", NOON, "k2", NOON.plusSeconds(1)));

        assertThat(uses().list("tenant-b")).isEqualTo(Map.of("k2", NOON.plusSeconds(1)));
        assertThat(uses().list("tenant-c")).isEmpty();
    }

    @Test
    void whatIsNoKeyIsLeftOutAndMakesNone() {
        uses().note(Map.of("none", NOON, "\u0000", NOON));

        assertThat(keys().find("none")).isEmpty();
        assertThat(uses().list("tenant-a")).isEmpty();
        uses().note(Map.of());
    }

    @Test
    void whatIsChangedOfAKeyLeavesItsUse() {
        put("k1", "tenant-a", "one");
        uses().note(Map.of("k1", NOON));

        put("k1", "tenant-a", "renamed");
        keys().grant("tenant-a", "k1", List.of("demo.*"));

        assertThat(uses().list("tenant-a")).isEqualTo(Map.of("k1", NOON));
        assertThat(keys().find("k1").orElseThrow().name()).isEqualTo("renamed");
    }
}
