package org.sallyport.secrets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.tool.Json;
import org.sallyport.variable.InMemoryVariableStore;
import org.sallyport.variable.PinResult;
import org.sallyport.variable.TenantVariable.ValueSource;
import org.sallyport.variable.UnsetVariable;
import org.sallyport.variable.VariablesUnreadableException;

class SecretVariablePinnerTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final InstantSource CLOCK = InstantSource.system();
    private static final int MAX_CHARS = 40;

    private final InMemorySecretStore secrets = new InMemorySecretStore();
    private final InMemoryVariableStore variables = new InMemoryVariableStore();
    private final byte[] key = newKey();
    private final SecretVault vault = vault(key);
    private final SecretVariablePinner pinner = new SecretVariablePinner(variables, vault, MAX_CHARS);

    private static byte[] newKey() {
        byte[] key = new byte[SecretCipher.KEY_BYTES];
        RANDOM.nextBytes(key);
        return key;
    }

    private SecretVault vault(byte[] withKey) {
        return new SecretVault(secrets, new SecretCipher(List.of(withKey), RANDOM), CLOCK, 10);
    }

    private void set(String name, ValueSource source) {
        variables.set("t", name, source, Instant.now(), "k", 10);
    }

    private PinnedVariables pinned(String... names) {
        return ((PinResult.VariablesPinned) pinner.pin("t", List.of(names)))
                .variables()
                .orElseThrow();
    }

    private List<UnsetVariable> unset(String... names) {
        return ((PinResult.VariablesUnset) pinner.pin("t", List.of(names))).unset();
    }

    @Test
    void onlyDeclaredNamesArePinnedAndLaterChangesDoNotMatter() {
        set("REGION", new ValueSource.PlainValue("eu-1"));
        set("OTHER", new ValueSource.PlainValue("x"));
        assertThat(pinner.pin("t", List.of())).isEqualTo(new PinResult.VariablesPinned(Optional.empty()));
        PinnedVariables first = pinned("REGION", "REGION");
        set("REGION", new ValueSource.PlainValue("us-1"));
        assertThat(pinner.read("t", first)).isEqualTo(new Json("{\"REGION\":\"eu-1\"}"));
        PinnedVariables second = pinned("REGION");
        assertThat(pinner.read("t", second)).isEqualTo(new Json("{\"REGION\":\"us-1\"}"));
        assertThat(second.versions())
                .isNotEqualTo(first.versions())
                .isEqualTo(pinned("REGION").versions());
    }

    @Test
    void missingVariablesAndMissingSecretsAreNamedWithTheirCommands() {
        set("KEY", new ValueSource.SecretValue("weather-key"));
        set("REGION", new ValueSource.PlainValue("eu-1"));
        List<UnsetVariable> missing = unset("KEY", "REGION", "ZONE");
        assertThat(missing)
                .containsExactly(
                        new UnsetVariable("KEY", Optional.of("weather-key")),
                        new UnsetVariable("ZONE", Optional.empty()));
        assertThat(UnsetVariable.describe(missing))
                .isEqualTo("the secret 'weather-key' of the variable 'KEY' is not stored or not readable"
                        + " (sallyport secrets set weather-key); the variable 'ZONE' is not set"
                        + " (sallyport variables set ZONE)");
        assertThat(((PinResult.VariablesUnset) pinner.pin("u", List.of("REGION"))).unset())
                .hasSize(1);
    }

    @Test
    void pinnedSecretOutlivesRotationAndDeletionAndStaysRedacted() {
        vault.create("t", "weather-key", "hunter2-4711", "k");
        set("KEY", new ValueSource.SecretValue("weather-key"));
        PinnedVariables pinned = pinned("KEY");
        assertThat(pinned.ciphertext()).doesNotContain("hunter2").doesNotContain("KEY");
        assertThat(pinned.versions()).doesNotContain("hunter2");
        vault.rotate("t", "weather-key", "second-value", "k");
        assertThat(pinned("KEY").versions()).isNotEqualTo(pinned.versions());
        vault.delete("t", "weather-key");
        assertThat(unset("KEY")).hasSize(1);

        SecretVault otherNode = vault(key);
        otherNode.refresh();
        assertThat(otherNode.redactorFor("t").redact("hunter2-4711")).isEqualTo("hunter2-4711");
        assertThat(new SecretVariablePinner(variables, otherNode, MAX_CHARS).read("t", pinned))
                .isEqualTo(new Json("{\"KEY\":\"hunter2-4711\"}"));
        assertThat(otherNode.redactorFor("t").redact("hunter2-4711")).isEqualTo("[redacted]");
        otherNode.refresh();
        assertThat(otherNode.redactorFor("t").redact("hunter2-4711")).isEqualTo("[redacted]");
        assertThat(otherNode.redactorFor("u").redact("hunter2-4711")).isEqualTo("hunter2-4711");
    }

    @Test
    void namesAndValuesOfOneExecutionHaveALimitTogether() {
        set("A", new ValueSource.PlainValue("x".repeat(18)));
        vault.create("t", "weather-key", "y".repeat(20), "k");
        set("B", new ValueSource.SecretValue("weather-key"));
        assertThat(pinner.pin("t", List.of("A", "B"))).isInstanceOf(PinResult.VariablesPinned.class);
        set("A", new ValueSource.PlainValue("x".repeat(19)));
        assertThat(pinner.pin("t", List.of("A", "B"))).isEqualTo(new PinResult.VariablesOversized(MAX_CHARS));
        assertThat(pinner.pin("t", List.of("A"))).isInstanceOf(PinResult.VariablesPinned.class);
        assertThat(pinner.pin("t", List.of("B"))).isInstanceOf(PinResult.VariablesPinned.class);
    }

    @Test
    void missingKeyIsTransientAndAMissingSecretIsNot() {
        vault.create("t", "weather-key", "hunter2-4711", "k");
        set("KEY", new ValueSource.SecretValue("weather-key"));
        set("OTHER", new ValueSource.SecretValue("no-such-secret"));
        SecretVariablePinner keyless = new SecretVariablePinner(variables, vault(newKey()), MAX_CHARS);
        PinResult.VariablesUnset unreadable = (PinResult.VariablesUnset) keyless.pin("t", List.of("KEY"));
        assertThat(unreadable.unset()).containsExactly(new UnsetVariable("KEY", Optional.of("weather-key"), true));
        assertThat(unreadable.isTransient()).isTrue();
        assertThat(UnsetVariable.describe(unreadable.unset()))
                .contains("'weather-key'", "'KEY'", "a node of the service does not have")
                .doesNotContain("hunter2");
        assertThat(((PinResult.VariablesUnset) keyless.pin("t", List.of("KEY", "OTHER"))).isTransient())
                .isFalse();
        assertThat(((PinResult.VariablesUnset) pinner.pin("t", List.of("OTHER"))).isTransient())
                .isFalse();
    }

    @Test
    void variablesOfAnotherTenantOrKeyAreUnreadable() {
        set("REGION", new ValueSource.PlainValue("eu-1"));
        PinnedVariables pinned = pinned("REGION");
        assertThatThrownBy(() -> pinner.read("u", pinned)).isInstanceOf(VariablesUnreadableException.class);
        SecretVariablePinner keyless = new SecretVariablePinner(variables, vault(newKey()), MAX_CHARS);
        assertThatThrownBy(() -> keyless.read("t", pinned)).isInstanceOf(VariablesUnreadableException.class);
        assertThatThrownBy(() -> pinner.read("t", PinnedVariables.ofStored("damaged")))
                .isInstanceOf(VariablesUnreadableException.class);
    }
}
