package org.sallyport.secrets;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Contract of {@link SecretStore}, for every implementation. Each test starts with an empty store. */
public abstract class SecretStoreContract {
    private static final int MAX_SECRETS = 100;
    private static final Instant AT = Instant.parse("2026-10-25T00:30:00.5Z");

    protected abstract SecretStore store();

    private static EncryptedSecret secret(String tenant, String name, int version, String sealed) {
        Secret.SecretActivity created = new Secret.SecretActivity(AT, "key-1");
        Secret.SecretActivity changed = new Secret.SecretActivity(AT.plusSeconds(version), "key-" + version);
        return new EncryptedSecret(
                new Secret(tenant, name, version, created, changed, Optional.empty()), "ab12", sealed);
    }

    @Test
    void secretIsFoundOnlyByItsTenant() {
        EncryptedSecret one = secret("t", "API.key-1_x", 1, "c2VhbGVk".repeat(1_000));
        assertThat(store().add(one, MAX_SECRETS)).isEqualTo(AddSecretResult.STORED);
        assertThat(store().add(secret("t", "API.key-1_x", 1, "other"), MAX_SECRETS))
                .isEqualTo(AddSecretResult.EXISTS);
        assertThat(store().add(secret("u", "API.key-1_x", 1, "theirs"), MAX_SECRETS))
                .isEqualTo(AddSecretResult.STORED);

        assertThat(store().find("t", "API.key-1_x")).contains(one);
        assertThat(store().find("t", "api.key-1_x")).isEmpty();
        assertThat(store().listAll())
                .containsExactly(
                        one.metadata(), secret("u", "API.key-1_x", 1, "").metadata());
    }

    @Test
    void replaceOfAnOutdatedVersionIsRefused() {
        store().add(secret("t", "a", 1, "one"), MAX_SECRETS);
        assertThat(store().replace(secret("t", "a", 2, "two"), 1)).isTrue();
        assertThat(store().replace(secret("t", "a", 2, "three"), 1)).isFalse();
        assertThat(store().replace(secret("t", "b", 2, "three"), 1)).isFalse();
        assertThat(store().find("t", "a")).contains(secret("t", "a", 2, "two"));
    }

    @Test
    void lastUseSurvivesReplacement() {
        store().add(secret("t", "a", 1, "one"), MAX_SECRETS);
        Secret.SecretActivity use = new Secret.SecretActivity(AT.plusSeconds(60), "weather");
        store().markUsed("t", "a", use);
        store().markUsed("t", "nothing", use);
        assertThat(store().find("t", "a").orElseThrow().metadata().used()).contains(use);
        store().replace(secret("t", "a", 2, "two"), 1);
        assertThat(store().find("t", "a").orElseThrow().metadata().used()).contains(use);
    }

    @Test
    void removeDeletesOnlyTheGivenSecret() {
        store().add(secret("t", "a", 1, "one"), MAX_SECRETS);
        store().add(secret("u", "a", 1, "one"), MAX_SECRETS);
        assertThat(store().remove("t", "a")).isTrue();
        assertThat(store().remove("t", "a")).isFalse();
        assertThat(store().find("t", "a")).isEmpty();
        assertThat(store().find("u", "a")).isPresent();
    }

    @Test
    void secretsPerTenantAreLimited() {
        assertThat(store().add(secret("t", "a", 1, "one"), 2)).isEqualTo(AddSecretResult.STORED);
        assertThat(store().add(secret("t", "b", 1, "one"), 2)).isEqualTo(AddSecretResult.STORED);
        assertThat(store().add(secret("t", "c", 1, "one"), 2)).isEqualTo(AddSecretResult.TOO_MANY);
        assertThat(store().add(secret("t", "b", 1, "one"), 2)).isEqualTo(AddSecretResult.EXISTS);
        assertThat(store().add(secret("u", "c", 1, "one"), 2)).isEqualTo(AddSecretResult.STORED);
        store().remove("t", "a");
        assertThat(store().add(secret("t", "c", 1, "one"), 2)).isEqualTo(AddSecretResult.STORED);
    }
}
