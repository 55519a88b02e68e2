package org.sallyport.secret;

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

class VaultTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);

    private final MemorySecrets rows = new MemorySecrets();
    private final byte[] key = key();
    private final Vault vault = vault(key);

    private static byte[] key() {
        byte[] key = new byte[SecretKeys.KEY_BYTES];
        RANDOM.nextBytes(key);
        return key;
    }

    private Vault vault(byte[]... keys) {
        return new Vault(rows, new SecretKeys(List.of(keys), RANDOM), CLOCK, 100);
    }

    @Test
    void aSecretIsSealedAndOpenedForABackendAlone() {
        vault.create("t", "weather", "sunshine-4711", "key-1");
        assertThat(rows.rows.toString()).doesNotContain("sunshine");
        assertThat(vault.use("t", "weather", "forecasts")).isEqualTo("sunshine-4711");
        assertThat(vault.list("t"))
                .containsExactly(new Secret(
                        "t",
                        "weather",
                        1,
                        new Secret.Mark(Instant.EPOCH, "key-1"),
                        new Secret.Mark(Instant.EPOCH, "key-1"),
                        Optional.of(new Secret.Mark(Instant.EPOCH, "forecasts"))));
        assertThat(vault.list("u")).isEmpty();
        assertThat(vault.create("t", "weather", "again", "key-1")).isEmpty();
    }

    @Test
    void theSameValueIsNeverSealedTheSame() {
        vault.create("t", "a", "same-value", "k");
        String first = rows.find("t", "a").orElseThrow().sealed();
        vault.rotate("t", "a", "same-value", "k");
        assertThat(rows.find("t", "a").orElseThrow().sealed()).isNotEqualTo(first);
    }

    @Test
    void aRowThatWasCopiedElsewhereDoesNotOpen() {
        vault.create("t", "a", "sunshine-4711", "k");
        SealedSecret row = rows.find("t", "a").orElseThrow();
        for (Secret place : List.of(moved(row, "u", "a", 1), moved(row, "t", "b", 1), moved(row, "t", "a", 2))) {
            rows.rows.put(
                    MemorySecrets.place(place.tenant(), place.name()),
                    new SealedSecret(place, row.keyId(), row.sealed()));
            assertThatThrownBy(() -> vault.use(place.tenant(), place.name(), "x"))
                    .isInstanceOf(SecretUnreadableException.class)
                    .hasMessageContaining("sealed for another place");
        }
    }

    private static Secret moved(SealedSecret row, String tenant, String name, int version) {
        return new Secret(
                tenant, name, version, row.about().created(), row.about().changed(), Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "!", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    void whatIsDamagedDoesNotOpen(String sealed) {
        vault.create("t", "a", "sunshine-4711", "k");
        SealedSecret row = rows.find("t", "a").orElseThrow();
        rows.rows.put("t/a", new SealedSecret(row.about(), row.keyId(), sealed));
        assertThatThrownBy(() -> vault.use("t", "a", "x")).isInstanceOf(SecretUnreadableException.class);
    }

    @Test
    void aNodeWithAnotherKeySaysSo() {
        vault.create("t", "a", "sunshine-4711", "k");
        Vault other = vault(key());
        other.refresh();
        assertThatThrownBy(() -> other.use("t", "a", "x"))
                .hasMessageContaining("secret 'a' is sealed with key")
                .hasMessageContaining("which this node does not have")
                .hasMessageContaining("sallyport.secrets.key-file");
        assertThat(other.redaction("t").isEmpty()).isTrue();
        assertThatThrownBy(() -> other.use("t", "b", "x")).hasMessage("secret 'b' is not stored");
    }

    @Test
    void theKeyIsReplacedWhileTheSecretsStay() {
        vault.create("t", "a", "sunshine-4711", "k");
        byte[] fresh = key();
        Vault both = vault(fresh, key);
        assertThat(both.reseal()).isEqualTo(1);
        assertThat(both.reseal()).isZero();
        assertThat(vault(fresh).use("t", "a", "x")).isEqualTo("sunshine-4711");
        assertThatThrownBy(() -> vault.use("t", "a", "x")).isInstanceOf(SecretUnreadableException.class);
    }

    @Test
    void redactionKnowsTheNewValueAndTheOneBeforeOfItsTenantAlone() {
        assertThat(vault.redaction("t")).isSameAs(Redaction.NOTHING);
        vault.create("t", "a", "value-one-1", "k");
        vault.rotate("t", "a", "value-two-2", "k");
        assertThat(vault.redaction("t").of("value-one-1 value-two-2")).isEqualTo("[redacted] [redacted]");
        assertThat(vault.redaction("u").of("value-two-2")).isEqualTo("value-two-2");
        vault.delete("t", "a");
        assertThat(vault.redaction("t").of("value-two-2")).isEqualTo("value-two-2");
    }

    @Test
    void whatAnotherNodeChangesIsKnownAfterARefresh() {
        Vault other = vault(key);
        vault.create("t", "a", "value-one-1", "k");
        vault.create("t", "b", "value-bee-1", "k");
        other.refresh();
        assertThat(other.versions("t", Set.of("a", "c"))).containsOnlyKeys("a");
        assertThat(other.redaction("t").of("value-one-1")).isEqualTo("[redacted]");
        vault.rotate("t", "a", "value-two-2", "k");
        assertThat(other.use("t", "a", "x")).isEqualTo("value-two-2");
        assertThat(other.redaction("t").of("value-two-2")).isEqualTo("[redacted]");
        other.refresh();
        assertThat(other.versions("t", Set.of("a")).get("a")).startsWith("2@");
        assertThat(vault.rotate("t", "nothing", "value-two-2", "k")).isEmpty();
        assertThat(vault.delete("t", "no name")).isFalse();
    }

    @Test
    void theKeyFileIsMadeOnceForItsOwnerAlone(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("secrets.key");
        SecretKeys made = KeyFile.ensure(file, RANDOM);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Vault first = new Vault(rows, made, CLOCK, 100);
        first.create("t", "a", "sunshine-4711", "k");
        assertThat(new Vault(rows, KeyFile.ensure(file, RANDOM), CLOCK, 100).use("t", "a", "x"))
                .isEqualTo("sunshine-4711");
        String old = Files.readString(file);
        Files.writeString(file, "# the new one\n" + Base64.getEncoder().encodeToString(key()) + "\n" + old);
        assertThat(new Vault(rows, KeyFile.ensure(file, RANDOM), CLOCK, 100).reseal())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing", "not base64!", "c2hvcnQ="})
    void whatIsNoKeyIsRefusedWithoutBeingShown(String text) {
        assertThatThrownBy(() -> SecretKeys.parse(text, RANDOM))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .doesNotContain("c2hvcnQ", "not base64!");
    }
}
