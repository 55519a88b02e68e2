package org.sallyport.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of saved scripts. */
class ScriptNameRulesTest {
    private static final String HASH = "sha256-0123456789abcdef" + "0".repeat(48);

    @ParameterizedTest
    @ValueSource(strings = {"a", "0", "fees-of.the_month", "auto"})
    void validNamesAreAccepted(String name) {
        assertThat(ScriptNameRules.isValid(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A", "-a", ".a", "a b", "a/b", "ä", "a\n", "../x", "a%2f"})
    void invalidNamesAreRefused(String name) {
        assertThat(ScriptNameRules.isValid(name)).isFalse();
    }

    @Test
    void nameLengthIsLimited() {
        assertThat(ScriptNameRules.isValid("a".repeat(ScriptNameRules.MAX_LENGTH)))
                .isTrue();
        assertThat(ScriptNameRules.isValid("a".repeat(ScriptNameRules.MAX_LENGTH + 1)))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "Adds the fee., adds-the-fee",
        "'', script",
        "'***', script",
        "ÄÖ, script",
        "one two three four five six, one-two-three-four-five",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    })
    void generatedNameStartsWithTheFirstWords(String description, String base) {
        assertThat(ScriptNameRules.baseOf(description)).isEqualTo(base);
    }

    @Test
    void nameCandidatesAreValidAndTheLastContainsTheWholeHash() {
        assertThat(ScriptNameRules.candidates("adds-the-fee", HASH))
                .containsExactly(
                        "adds-the-fee-01234567",
                        "adds-the-fee-0123456789abcdef",
                        "adds-the-fee-0123456789abcdef" + "0".repeat(48));
        assertThat(ScriptNameRules.candidates("a".repeat(ScriptNameRules.MAX_LENGTH), HASH))
                .allMatch(ScriptNameRules::isValid);
    }
}
