package org.sallyport.secret;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What every store of secrets must do. Each test finds the store empty. */
public abstract class SecretStoreContract {
    private static final int MOST = 100;
    private static final Instant AT = Instant.parse("2026-10-25T00:30:00.5Z");

    protected abstract SecretStore store();

    private static SealedSecret secret(String tenant, String name, int version, String sealed) {
        Secret.Mark created = new Secret.Mark(AT, "key-1");
        Secret.Mark changed = new Secret.Mark(AT.plusSeconds(version), "key-" + version);
        return new SealedSecret(new Secret(tenant, name, version, created, changed, Optional.empty()), "ab12", sealed);
    }

    @Test
    void aSecretIsFoundAsItWasAddedByItsTenantAlone() {
        SealedSecret one = secret("t", "API.key-1_x", 1, "c2VhbGVk".repeat(1_000));
        assertThat(store().add(one, MOST)).isEqualTo(Added.STORED);
        assertThat(store().add(secret("t", "API.key-1_x", 1, "other"), MOST)).isEqualTo(Added.EXISTS);
        assertThat(store().add(secret("u", "API.key-1_x", 1, "theirs"), MOST)).isEqualTo(Added.STORED);

        assertThat(store().find("t", "API.key-1_x")).contains(one);
        assertThat(store().find("t", "api.key-1_x")).isEmpty();
        assertThat(store().all())
                .containsExactly(one.about(), secret("u", "API.key-1_x", 1, "").about());
    }

    @Test
    void whatWasChangedMeanwhileIsNotReplaced() {
        store().add(secret("t", "a", 1, "one"), MOST);
        assertThat(store().replace(secret("t", "a", 2, "two"), 1)).isTrue();
        assertThat(store().replace(secret("t", "a", 2, "three"), 1)).isFalse();
        assertThat(store().replace(secret("t", "b", 2, "three"), 1)).isFalse();
        assertThat(store().find("t", "a")).contains(secret("t", "a", 2, "two"));
    }

    @Test
    void whoUsedOneLastIsKept() {
        store().add(secret("t", "a", 1, "one"), MOST);
        Secret.Mark use = new Secret.Mark(AT.plusSeconds(60), "weather");
        store().used("t", "a", use);
        store().used("t", "nothing", use);
        assertThat(store().find("t", "a").orElseThrow().about().used()).contains(use);
        store().replace(secret("t", "a", 2, "two"), 1);
        assertThat(store().find("t", "a").orElseThrow().about().used()).contains(use);
    }

    @Test
    void aRemovedSecretIsGoneAndNoOther() {
        store().add(secret("t", "a", 1, "one"), MOST);
        store().add(secret("u", "a", 1, "one"), MOST);
        assertThat(store().remove("t", "a")).isTrue();
        assertThat(store().remove("t", "a")).isFalse();
        assertThat(store().find("t", "a")).isEmpty();
        assertThat(store().find("u", "a")).isPresent();
    }

    @Test
    void aTenantHasNoMoreThanItMayHave() {
        assertThat(store().add(secret("t", "a", 1, "one"), 2)).isEqualTo(Added.STORED);
        assertThat(store().add(secret("t", "b", 1, "one"), 2)).isEqualTo(Added.STORED);
        assertThat(store().add(secret("t", "c", 1, "one"), 2)).isEqualTo(Added.TOO_MANY);
        assertThat(store().add(secret("t", "b", 1, "one"), 2)).isEqualTo(Added.EXISTS);
        assertThat(store().add(secret("u", "c", 1, "one"), 2)).isEqualTo(Added.STORED);
        store().remove("t", "a");
        assertThat(store().add(secret("t", "c", 1, "one"), 2)).isEqualTo(Added.STORED);
    }
}
