package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentDispositionTest {
    @Test
    void fileNameIsWrittenInAsciiAndUtf8() {
        assertThat(ContentDisposition.attachment("Übersicht 1.csv"))
                .isEqualTo("attachment; filename=\"_bersicht 1.csv\"; filename*=UTF-8''%C3%9Cbersicht%201.csv");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"../../x", "C:\\x", "CON", "a\r\nSet-Cookie: b", "\"; x=\"", "\u0000", "\u202Egpj.exe", "%2e"})
    void hostileFileNameIsEscaped(String name) {
        assertThat(ContentDisposition.attachment(name))
                .matches("attachment; filename=\"[\\w. -]*\"; filename\\*=UTF-8''[\\w.%!#$&+^`|~-]*");
    }
}
