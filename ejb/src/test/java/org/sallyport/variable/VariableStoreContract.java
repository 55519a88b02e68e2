package org.sallyport.variable;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.variable.TenantVariable.ValueSource;

/** Contract of {@link VariableStore}, for every implementation. Each test starts with an empty store. */
public abstract class VariableStoreContract {
    private static final int MAX_VARIABLES = 3;
    private static final Instant AT = Instant.parse("2026-10-25T00:30:00.5Z");

    protected abstract VariableStore store();

    private TenantVariable set(String tenant, String name, ValueSource source, int seconds) {
        return store().set(tenant, name, source, AT.plusSeconds(seconds), "key-" + seconds, MAX_VARIABLES)
                .orElseThrow();
    }

    private static ValueSource plain(String text) {
        return new ValueSource.PlainValue(text);
    }

    @Test
    void variablesAreFoundOnlyByTheirTenant() {
        TenantVariable region = set("t", "REGION", plain("eu-1"), 1);
        TenantVariable key = set("t", "KEY", new ValueSource.SecretValue("weather-key"), 2);
        TenantVariable other = set("u", "REGION", plain("us-1"), 3);
        assertThat(region).isEqualTo(new TenantVariable("t", "REGION", plain("eu-1"), 1, AT.plusSeconds(1), "key-1"));
        assertThat(store().list("t")).containsExactly(key, region);
        assertThat(store().list("u")).containsExactly(other);
        assertThat(store().list("v")).isEmpty();
        assertThat(store().find("t", List.of("REGION", "KEY", "NONE"))).containsExactlyInAnyOrder(region, key);
        assertThat(store().find("u", Set.of("KEY"))).isEmpty();
        assertThat(store().find("t", List.of())).isEmpty();
    }

    @Test
    void newValueIsTheNextVersionAndTheSameValueChangesNothing() {
        TenantVariable first = set("t", "A", plain("x"), 1);
        assertThat(set("t", "A", plain("x"), 2)).isEqualTo(first);
        TenantVariable second = set("t", "A", new ValueSource.SecretValue("x"), 3);
        assertThat(second.version()).isEqualTo(2);
        assertThat(second.changedBy()).isEqualTo("key-3");
        assertThat(set("t", "A", plain(""), 4).version()).isEqualTo(3);
        assertThat(store().list("t"))
                .containsExactly(new TenantVariable("t", "A", plain(""), 3, AT.plusSeconds(4), "key-4"));
        assertThat(second.versionStamp()).isNotEqualTo(first.versionStamp());
    }

    @Test
    void returnedVariableIsTheStoredOne() {
        Instant precise = Instant.parse("2026-10-25T00:30:00.123456789Z");
        TenantVariable returned =
                store().set("t", "A", plain("x"), precise, "k", MAX_VARIABLES).orElseThrow();
        assertThat(store().list("t")).containsExactly(returned);
    }

    @Test
    void anyTextIsStoredUnchanged() {
        String text = "NUL \0, lone \ud800, line\nbreak, Grüße " + "x".repeat(TenantVariable.MAX_VALUE_LENGTH - 30);
        set("t \0", "A", plain(text), 1);
        assertThat(store().list("t \0").get(0).source()).isEqualTo(plain(text));
        String name = "_" + "n".repeat(TenantVariable.MAX_NAME_LENGTH - 1);
        set("t", name, plain("x"), 1);
        assertThat(store().list("t").get(0).name()).isEqualTo(name);
    }

    @Test
    void fullTenantChangesItsVariablesAndAddsNone() {
        IntStream.range(0, MAX_VARIABLES).forEach(i -> set("t", "A" + i, plain("x"), i));
        assertThat(store().set("t", "B", plain("x"), AT, "k", MAX_VARIABLES)).isEmpty();
        assertThat(store().set("t", "A1", plain("y"), AT, "k", MAX_VARIABLES)).isPresent();
        assertThat(store().set("u", "B", plain("x"), AT, "k", MAX_VARIABLES)).isPresent();
        assertThat(store().list("t")).hasSize(MAX_VARIABLES);
    }

    @Test
    void removeDeletesOnlyTheGivenVariable() {
        set("t", "A", plain("x"), 1);
        set("u", "A", plain("x"), 1);
        assertThat(store().remove("t", "A")).isTrue();
        assertThat(store().remove("t", "A")).isFalse();
        assertThat(store().list("t")).isEmpty();
        assertThat(store().list("u")).hasSize(1);
    }
}
