package org.sallyport.catalog.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.testsupport.TestPrerequisite;

/** Patterns find the same texts as in Node.js, whose results are in a table. */
class EcmaScriptPatternTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path RESOURCES = Path.of("src/test/resources/org/sallyport/catalog/pattern");
    private static final Path TABLE = RESOURCES.resolve("ecmascript-patterns.json");
    private static final String INVALID = "invalid";

    private static String results(String pattern, List<String> texts) {
        Pattern compiled;
        try {
            compiled = Pattern.compile(EcmaScriptPattern.translate(pattern).javaPattern());
        } catch (InvalidPatternException e) {
            return INVALID;
        }
        StringBuilder results = new StringBuilder();
        texts.forEach(text -> results.append(compiled.matcher(text).find() ? 'T' : 'F'));
        return results.toString();
    }

    @Test
    void patternsFindTheTextsThatNodeFinds() throws IOException {
        JsonNode rows = JSON.readTree(Files.readString(TABLE));
        assertThat(rows.size()).isGreaterThan(200);
        SoftAssertions all = new SoftAssertions();
        for (JsonNode row : rows) {
            List<String> texts = new ArrayList<>();
            row.path(1).forEach(text -> texts.add(text.textValue()));
            String pattern = row.path(0).textValue();
            all.assertThat(results(pattern, texts))
                    .as(pattern + " " + texts)
                    .isEqualTo(row.path(2).textValue());
        }
        all.assertAll();
    }

    @Test
    @Timeout(60)
    void tableHasTheResultsOfNode() throws IOException, InterruptedException {
        TestPrerequisite.require(TestPrerequisite.hasProgram("node"), "Node.js (it has the patterns of ECMA-262)");
        Process node = new ProcessBuilder("node", "ecmascript-patterns.mjs")
                .directory(RESOURCES.toFile())
                .redirectInput(TABLE.toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(node.waitFor()).as(printed).isZero();
        assertThat(printed).isEqualTo(Files.readString(TABLE));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "^a++$                | there is nothing that a quantifier can repeat",
                "(?i)a                | '(?i' begins no group that is supported",
                "(?P<n>a)             | '(?P' begins no group that is supported",
                "\\p{Foo}             | the Unicode property 'Foo' is not known",
                "\\p{Script=Foo}      | the Unicode property 'Script=Foo' is not known",
                "\\p{scx=Greek}       | the Unicode property 'scx=Greek' is not known",
                "\\p{Script=greek}    | the Unicode property 'Script=greek' is not known",
                "\\u{110000}          | beyond the last code point",
                "(?<=(a)\\1)b         | a look-behind has a back reference",
                "(?<=(a+))b\\1         | a back reference means a group of a look-behind",
                "(?<=(?:a+,)+)b       | a look-behind repeats a repetition",
                "(?=(a)?b)\\1         | a back reference means a group of a repetition, or an optional",
                "`(?:(a)|b)+\\1`      | a back reference means a group of a repetition, or an optional",
                "(.){1,2}\\1           | a back reference means a group of a repetition, or an optional",
                "(?:(a)?b\\1)+        | a back reference means a group of a repetition, or an optional",
                "a{2147483647}bc      | it needs a text of more than 16777216 characters",
                "`x|(?:a{9999}){9999}` | it needs a text of more than 16777216 characters",
                "[z-a]                | a range of a character class is out of order (at character 4)",
                "[a                   | a character class has no end",
                "(a                   | a parenthesis is not closed",
            })
    void faultIsNamed(String pattern, String reason) {
        assertThatThrownBy(() -> EcmaScriptPattern.translate(pattern))
                .isInstanceOf(InvalidPatternException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void characterIsACodePointInBothModes() {
        // The second brace is not allowed in Unicode mode, so the pattern is read without it.
        assertThat(results("^.}$", List.of("😀}", "a}", "ab}"))).isEqualTo("TTF");
    }

    @Test
    void workWithoutReadingIsBounded() {
        assertThatThrownBy(() -> EcmaScriptPattern.translate("(|)".repeat(40) + "x"))
                .hasMessage("it can match the empty text in too many ways");
        assertThatThrownBy(() -> EcmaScriptPattern.translate("(?:(?:){30000}){30000}"))
                .hasMessage("it can match the empty text in too many ways");
        assertThatThrownBy(() -> EcmaScriptPattern.translate("(?:a?|b?){30}"))
                .hasMessage("it can match the empty text in too many ways");
        assertThat(EcmaScriptPattern.translate("(a?|b?)(c?|d?)(e|f)?").emptyMatchPaths())
                .isEqualTo(4);
        assertThat(EcmaScriptPattern.translate("^(\\d+Y)?(\\d+M)?(T(\\d+H)?)?$").emptyMatchPaths())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "[", "(?=", "(?<=a", "(?:a|"})
    void deeplyNestedPatternIsRefused(String repeated) {
        String deep = repeated.repeat(EcmaScriptPattern.MAX_LENGTH / repeated.length());
        assertThatThrownBy(() -> EcmaScriptPattern.translate(deep)).isInstanceOf(InvalidPatternException.class);
    }

    @Test
    void lengthIsBounded() {
        assertThatThrownBy(() -> EcmaScriptPattern.translate("a".repeat(EcmaScriptPattern.MAX_LENGTH + 1)))
                .hasMessage("it has more than 20000 characters");
    }

    @Test
    void classWithManyRangesIsTranslated() {
        StringBuilder pattern = new StringBuilder("^[");
        for (int point = 0x4e00; point < 0x4e00 + 20_000; point += 2) {
            pattern.appendCodePoint(point);
        }
        String manyRanges = pattern.substring(0, 10_000) + "]+$";
        assertThat(results(manyRanges, List.of("\u4e00\u4e02", "\u4e01", "a"))).isEqualTo("TFF");
    }
}
