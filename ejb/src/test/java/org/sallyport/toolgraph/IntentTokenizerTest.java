package org.sallyport.toolgraph;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The words of an intent that are kept. */
class IntentTokenizerTest {
    @ParameterizedTest
    @CsvSource({
        "Send the monthly Invoice!, send monthly invoice",
        "'  ', ''",
        "invoice INVOICE invoice, invoice",
        "'re-index the customer''s «files», then (report)', index customer files report",
        "Überweisung für Müller, überweisung für müller",
        "請求書を送る, 請求書を送る",
        // Words that could be personal data or secrets are dropped.
        "write to alice@example.com about order 4711, write about order",
        "use sk_live_abcDEF and ghp-9x8y7z, use",
        "see https://example.com/secret/path, see",
        "key=abc token:def a.b.c, ''",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, ''",
    })
    void onlyHarmlessWordsAreKept(String intent, String words) {
        String kept = String.join(" ", IntentTokenizer.tokenize(intent));
        assertThat(kept).isEqualTo(words);
    }

    @Test
    void wordCountAndReadLengthAreLimited() {
        assertThat(IntentTokenizer.tokenize("abc def ghi jkl mno pqr stu vwx yza bcd efg hij klm nop"))
                .hasSize(12);
        assertThat(IntentTokenizer.tokenize(" ".repeat(5_000) + "late")).isEmpty();
        assertThat(IntentTokenizer.tokenize("- ' ’ \uD800 \u202E\u0000")).isEmpty();
    }
}
