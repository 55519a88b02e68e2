package org.sallyport.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The description of a script is its first comment. */
class ScriptDescriptionTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "// Adds a fee.;return 1 | Adds a fee.",
                "// One;//   two;;// three;return 1 | One;two",
                "/* One */ return 1 | One",
                "/**; * One; * two; */;// three | One;two",
                "/* never ends;return 1 | never ends;return 1",
                "return 1 // late | ''",
                "'  ; // Late start' | Late start",
                "'' | ''",
                "//// Four | // Four"
            })
    void descriptionIsTheFirstComment(String code, String words) {
        assertThat(ScriptDescription.of(code.replace(';', '\n'), 100)).isEqualTo(words.replace(';', '\n'));
    }

    @ParameterizedTest
    @CsvSource({"5, One t", "3, One", "100, One two"})
    void descriptionIsTruncated(int longest, String words) {
        assertThat(ScriptDescription.of("// One two", longest)).isEqualTo(words);
    }
}
