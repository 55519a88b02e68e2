package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ToolIdentifiersTest {

    @ParameterizedTest
    @CsvSource({
        "echo, echo",
        "get-sum, get_sum",
        "a.b c, a_b_c",
        "größe, größe",
        "查询, 查询",
        "a😀b, a_b",
        "😀, _",
        "1st, _1st",
        "1st-, _1st_",
        "\u0301a, _\u0301a",
        "e\u0301t, e\u0301t",
        "$cost, $cost",
        "delete, delete_",
        "await, await_",
        "then, then_",
        "'', _",
    })
    void nameIsConvertedToAnIdentifier(String name, String identifier) {
        assertThat(ToolIdentifiers.toIdentifier(name)).isEqualTo(identifier);
        assertThat(ToolIdentifiers.isIdentifier(name)).isEqualTo(name.equals(identifier));
        assertThat(ToolIdentifiers.isIdentifier(identifier)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "1", "𝒳", "-", "1𝒳"})
    void identifierHasABoundedLength(String repeated) {
        String identifier = ToolIdentifiers.toIdentifier(repeated.repeat(100_000));
        assertThat(identifier.length()).isBetween(ToolIdentifiers.MAX_LENGTH - 1, ToolIdentifiers.MAX_LENGTH);
        assertThat(ToolIdentifiers.isIdentifier(identifier)).isTrue();
    }
}
