package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CodePreviewTest {
    @Test
    void whitespaceCollapsesToOneSpace() {
        assertThat(CodePreview.of("\n\n  a \t\r\n b\u0000c  ")).isEqualTo("a b c");
        assertThat(CodePreview.of("")).isEmpty();
        assertThat(CodePreview.of(" ".repeat(100_000) + "a")).isEmpty();
    }

    @Test
    void previewIsCutBetweenCodePoints() {
        assertThat(CodePreview.of("x".repeat(119) + "\uD83D\uDE00")).isEqualTo("x".repeat(119));
        assertThat(CodePreview.of("x".repeat(500))).hasSize(120);
    }
}
