package org.sallyport.policyengine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegexLiteralPrefixTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            quoteCharacter = '`',
            value = {
                "^/etc/passwd$!/etc/passwd",
                "^/etc/.*\\.conf$!/etc/",
                "^www\\.example\\.org!www.example.org",
                "^a\\/b!a/b",
                "^ab*!a",
                "^ab?c!a",
                "^ab+c!a",
                "^ab{0}c!a",
                "^a\\.*!a",
                "^ab\\d!ab",
                "^ab\\Q.\\E!ab",
                "^ab\\_!ab",
                "^ab\\!ab",
                "^ab[cd]!ab",
                "^ab(cd)!ab",
                "^aß!a",
                "^*ab!``",
                "^^ab!``",
                "^a{b!``",
                "ab!``",
                "(^ab)!``",
                "^ab|cd!``",
                "^ab(c|d)!``",
                "^(?i)ab!``",
                "^ab(?i)c!``",
                "(?m)^ab!``",
                "^!``",
                "``!``"
            })
    void prefixIsSharedByAllMatches(String pattern, String start) {
        assertThat(RegexLiteralPrefix.of(pattern)).isEqualTo(start);
    }

    /** For every pattern, each text that contains a match starts with the literal prefix. */
    @Test
    void everyMatchingTextStartsWithThePrefix() {
        List<String> parts = List.of(
                "a", "b", "/", ".", "\\.", "\\d", "*", "?", "+", "{0}", "{2}", "|", "(", ")", "(?i)", "[ab]", "^", "$",
                "\\", "\\Q", "\\E", "\\_", " ", "-", "\n", "\\n", "\\b", "\\A");
        List<String> letters = List.of("a", "b", "A", "/", ".", "0", "\n", " ", "-", "_");
        Random random = new Random(7);
        int patterns = 0;
        int found = 0;
        for (int round = 0; round < 40_000; round++) {
            String source = "^" + chosen(parts, random, 6);
            Pattern pattern;
            try {
                pattern = Pattern.compile(source);
            } catch (com.google.re2j.PatternSyntaxException e) {
                continue;
            }
            patterns++;
            String start = RegexLiteralPrefix.of(source);
            for (int i = 0; i < 10; i++) {
                String text = (i % 2 == 0 ? "" : start) + chosen(letters, random, 5);
                if (pattern.matcher(text).find()) {
                    assertThat(text).as(source).startsWith(start);
                    found++;
                }
            }
        }
        assertThat(patterns).isGreaterThan(5_000);
        assertThat(found).isGreaterThan(5_000);
    }

    private static String chosen(List<String> parts, Random random, int maxParts) {
        StringBuilder chosen = new StringBuilder();
        for (int i = random.nextInt(maxParts + 1); i > 0; i--) {
            chosen.append(parts.get(random.nextInt(parts.size())));
        }
        return chosen.toString();
    }
}
