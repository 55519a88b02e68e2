package org.sallyport.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;

/** Contract of {@link ApiKeyStore}, for every implementation. Each test starts with an empty store. */
public abstract class ApiKeyStoreContract {
    protected abstract ApiKeyStore keys();

    private static ApiKey key(String id, String tenant) {
        return new ApiKey(id, tenant, "for tests", "ab".repeat(32), Set.of(Role.SUBMITTER), Optional.empty());
    }

    @Test
    void keyIsFoundAsStored() {
        ApiKey key = new ApiKey(
                "k1",
                "tenant-a",
                "n\u0000\uD800ame",
                "00".repeat(32),
                EnumSet.allOf(Role.class),
                List.of("demo.*", "n\u0000\uD800*"),
                Optional.of(Instant.parse("2026-10-25T00:30:00.5Z")));
        keys().put(key);
        assertThat(keys().find("k1")).contains(key);
        assertThat(keys().find("k2")).isEmpty();
        assertThat(keys().find("\u0000")).isEmpty();
    }

    @Test
    void keyWithoutRolesOrExpiryIsStored() {
        ApiKey key = new ApiKey("k1", "tenant-a", "", "00", Set.of(), Optional.empty());
        keys().put(key);
        assertThat(keys().find("k1")).contains(key);
    }

    @Test
    void putReplacesTheKeyWithTheSameId() {
        keys().put(key("k1", "tenant-a"));
        ApiKey changed = new ApiKey("k1", "tenant-b", "other", "cd", Set.of(Role.ADMIN), Optional.of(Instant.EPOCH));
        keys().put(changed);
        assertThat(keys().find("k1")).contains(changed);
        assertThat(keys().list("tenant-a")).isEmpty();
        keys().put(key("k1", "tenant-a"));
        assertThat(keys().find("k1")).contains(key("k1", "tenant-a"));
    }

    @Test
    void concurrentPutsOfOneKeyStoreItOnce() throws Exception {
        ConcurrencyTestUtil.runConcurrently(16, n -> {
            keys().put(key("k1", "tenant-a"));
            return n;
        });
        assertThat(keys().list("tenant-a")).containsExactly(key("k1", "tenant-a"));
    }

    @Test
    void storedKeyWithoutGrantsGrantsEveryTool() {
        keys().put(key("k1", "tenant-a"));
        forgetGrants("k1");
        assertThat(keys().find("k1").orElseThrow().grants()).containsExactly("*");
        assertThat(keys().list("tenant-a")).extracting(ApiKey::grants).containsExactly(List.of("*"));
    }

    /** Removes the grants of a stored key. */
    protected abstract void forgetGrants(String id);

    @Test
    void replaceGrantsChangesOnlyTheTenantsOwnKey() {
        ApiKey key = key("k1", "tenant-a");
        keys().put(key);
        assertThat(keys().replaceGrants("tenant-b", "k1", List.of())).isFalse();
        assertThat(keys().find("k1")).contains(key);
        assertThat(keys().replaceGrants("tenant-a", "k1", List.of("demo.clock*", "demo.kv*")))
                .isTrue();
        assertThat(keys().find("k1"))
                .contains(new ApiKey(
                        "k1",
                        "tenant-a",
                        key.name(),
                        key.hash(),
                        key.roles(),
                        List.of("demo.clock*", "demo.kv*"),
                        key.expiresAt()));
        assertThat(keys().replaceGrants("tenant-a", "k1", List.of())).isTrue();
        assertThat(keys().find("k1").orElseThrow().grants()).isEmpty();
    }

    @Test
    void replaceGrantsDoesNotRestoreARemovedKey() {
        keys().put(key("k1", "tenant-a"));
        keys().remove("tenant-a", "k1");
        assertThat(keys().replaceGrants("tenant-a", "k1", List.of("*"))).isFalse();
        assertThat(keys().find("k1")).isEmpty();
    }

    @Test
    void removeDeletesOnlyTheTenantsOwnKey() {
        keys().put(key("k1", "tenant-a"));
        assertThat(keys().remove("tenant-b", "k1")).isFalse();
        assertThat(keys().find("k1")).isPresent();
        assertThat(keys().remove("tenant-a", "k1")).isTrue();
        assertThat(keys().remove("tenant-a", "k1")).isFalse();
        assertThat(keys().find("k1")).isEmpty();
    }

    @Test
    void listContainsTheTenantsKeysSortedById() {
        keys().put(key("b", "tenant-a"));
        keys().put(key("B", "tenant-a"));
        keys().put(key("a", "tenant-a"));
        keys().put(key("c", "tenant-b"));
        assertThat(keys().list("tenant-a")).extracting(ApiKey::id).containsExactly("B", "a", "b");
    }
}
