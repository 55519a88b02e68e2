package org.sallyport.secrets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.redaction.Redactor;

class SecretVaultTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);

    private final InMemorySecretStore store = new InMemorySecretStore();
    private final byte[] key = key();
    private final SecretVault vault = vault(key);

    private static byte[] key() {
        byte[] key = new byte[SecretCipher.KEY_BYTES];
        RANDOM.nextBytes(key);
        return key;
    }

    private SecretVault vault(byte[]... keys) {
        return new SecretVault(store, new SecretCipher(List.of(keys), RANDOM), CLOCK, 100);
    }

    @Test
    void valueIsReadWithoutRecordingAUse() {
        vault.create("t", "weather", "sunshine-4711", "key-1");
        assertThat(vault.readValue("t", "weather")).isEqualTo("sunshine-4711");
        assertThat(vault.find("t", "weather").orElseThrow().used()).isEmpty();
        vault.recordUse("t", "weather", "webhook shop");
        assertThat(vault.find("t", "weather").orElseThrow().used())
                .contains(new Secret.SecretActivity(Instant.EPOCH, "webhook shop"));
    }

    @Test
    void secretIsStoredEncryptedAndDecryptedForABackend() {
        vault.create("t", "weather", "sunshine-4711", "key-1");
        assertThat(store.secretsByKey.toString()).doesNotContain("sunshine");
        assertThat(vault.resolveValue("t", "weather", "forecasts")).isEqualTo("sunshine-4711");
        assertThat(vault.list("t"))
                .containsExactly(new Secret(
                        "t",
                        "weather",
                        1,
                        new Secret.SecretActivity(Instant.EPOCH, "key-1"),
                        new Secret.SecretActivity(Instant.EPOCH, "key-1"),
                        Optional.of(new Secret.SecretActivity(Instant.EPOCH, "forecasts"))));
        assertThat(vault.list("u")).isEmpty();
        assertThat(vault.create("t", "weather", "again", "key-1")).isEmpty();
    }

    @Test
    void sameValueNeverEncryptsToTheSameText() {
        vault.create("t", "a", "same-value", "k");
        String first = store.find("t", "a").orElseThrow().ciphertext();
        vault.rotate("t", "a", "same-value", "k");
        assertThat(store.find("t", "a").orElseThrow().ciphertext()).isNotEqualTo(first);
    }

    @Test
    void copiedRowDoesNotDecrypt() {
        vault.create("t", "a", "sunshine-4711", "k");
        EncryptedSecret row = store.find("t", "a").orElseThrow();
        for (Secret place : List.of(movedTo(row, "u", "a", 1), movedTo(row, "t", "b", 1), movedTo(row, "t", "a", 2))) {
            store.secretsByKey.put(
                    InMemorySecretStore.key(place.tenant(), place.name()),
                    new EncryptedSecret(place, row.keyId(), row.ciphertext()));
            assertThatThrownBy(() -> vault.resolveValue(place.tenant(), place.name(), "x"))
                    .isInstanceOf(SecretUnreadableException.class)
                    .hasMessageContaining("encrypted for another secret or version");
        }
    }

    private static Secret movedTo(EncryptedSecret row, String tenant, String name, int version) {
        return new Secret(
                tenant, name, version, row.metadata().created(), row.metadata().changed(), Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "!", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    void damagedRowDoesNotDecrypt(String sealed) {
        vault.create("t", "a", "sunshine-4711", "k");
        EncryptedSecret row = store.find("t", "a").orElseThrow();
        store.secretsByKey.put("t/a", new EncryptedSecret(row.metadata(), row.keyId(), sealed));
        assertThatThrownBy(() -> vault.resolveValue("t", "a", "x")).isInstanceOf(SecretUnreadableException.class);
    }

    @Test
    void missingKeyIsReported() {
        vault.create("t", "a", "sunshine-4711", "k");
        SecretVault other = vault(key());
        other.refresh();
        assertThatThrownBy(() -> other.resolveValue("t", "a", "x"))
                .hasMessageContaining("secret 'a' is encrypted with key")
                .hasMessageContaining("which this node does not have")
                .hasMessageContaining("sallyport.secrets.key-file");
        assertThat(other.redactorFor("t").isEmpty()).isTrue();
        assertThatThrownBy(() -> other.resolveValue("t", "b", "x")).hasMessage("secret 'b' is not stored");
    }

    @Test
    void keyRotationKeepsTheSecrets() {
        vault.create("t", "a", "sunshine-4711", "k");
        byte[] fresh = key();
        SecretVault both = vault(fresh, key);
        assertThat(both.reencrypt()).isEqualTo(1);
        assertThat(both.reencrypt()).isZero();
        assertThat(vault(fresh).resolveValue("t", "a", "x")).isEqualTo("sunshine-4711");
        assertThatThrownBy(() -> vault.resolveValue("t", "a", "x")).isInstanceOf(SecretUnreadableException.class);
    }

    @Test
    void redactorKnowsCurrentAndPreviousValueOfItsTenant() {
        assertThat(vault.redactorFor("t")).isSameAs(Redactor.NONE);
        vault.create("t", "a", "value-one-1", "k");
        vault.rotate("t", "a", "value-two-2", "k");
        assertThat(vault.redactorFor("t").redact("value-one-1 value-two-2")).isEqualTo("[redacted] [redacted]");
        assertThat(vault.redactorFor("u").redact("value-two-2")).isEqualTo("value-two-2");
        vault.delete("t", "a");
        assertThat(vault.redactorFor("t").redact("value-two-2")).isEqualTo("value-two-2");
    }

    @Test
    void refreshShowsChangesOfAnotherNode() {
        SecretVault other = vault(key);
        vault.create("t", "a", "value-one-1", "k");
        vault.create("t", "b", "value-bee-1", "k");
        other.refresh();
        assertThat(other.versionStamps("t", Set.of("a", "c"))).containsOnlyKeys("a");
        assertThat(other.redactorFor("t").redact("value-one-1")).isEqualTo("[redacted]");
        vault.rotate("t", "a", "value-two-2", "k");
        assertThat(other.resolveValue("t", "a", "x")).isEqualTo("value-two-2");
        assertThat(other.redactorFor("t").redact("value-two-2")).isEqualTo("[redacted]");
        other.refresh();
        assertThat(other.versionStamps("t", Set.of("a")).get("a")).startsWith("2@");
        assertThat(vault.rotate("t", "nothing", "value-two-2", "k")).isEmpty();
        assertThat(vault.delete("t", "no name")).isFalse();
    }

    @Test
    void keyFileIsCreatedOnceForItsOwnerOnly(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("secrets.key");
        SecretCipher cipher = SecretKeyFile.loadOrCreate(file, RANDOM);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        SecretVault first = new SecretVault(store, cipher, CLOCK, 100);
        first.create("t", "a", "sunshine-4711", "k");
        assertThat(new SecretVault(store, SecretKeyFile.loadOrCreate(file, RANDOM), CLOCK, 100)
                        .resolveValue("t", "a", "x"))
                .isEqualTo("sunshine-4711");
        String old = Files.readString(file);
        Files.writeString(file, "# the new one\n" + Base64.getEncoder().encodeToString(key()) + "\n" + old);
        assertThat(new SecretVault(store, SecretKeyFile.loadOrCreate(file, RANDOM), CLOCK, 100).reencrypt())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing", "not base64!", "c2hvcnQ="})
    void invalidKeyIsRefusedWithoutBeingShown(String text) {
        assertThatThrownBy(() -> SecretCipher.parse(text, RANDOM))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .doesNotContain("c2hvcnQ", "not base64!");
    }
}
