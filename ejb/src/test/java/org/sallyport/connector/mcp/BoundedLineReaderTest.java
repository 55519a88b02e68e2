package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedLineReaderTest {
    private static BoundedLineReader reader(String text, int longest) {
        return new BoundedLineReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), longest);
    }

    private static void assertLineSkipped(BoundedLineReader reader, String responseId) {
        assertThatExceptionOfType(BoundedLineReader.LineTooLongException.class)
                .isThrownBy(reader::readLine)
                .satisfies(
                        skipped -> assertThat(skipped.responseId().orElse("")).isEqualTo(responseId));
    }

    @Test
    void linesUpToTheMaximumAreRead() throws IOException {
        BoundedLineReader reader = reader("a\r\n\nüü\n" + "x".repeat(40_000) + "\nlast", 40_000);
        assertThat(reader.readLine()).isEqualTo("a\r");
        assertThat(reader.readLine()).isEmpty();
        assertThat(reader.readLine()).isEqualTo("üü");
        assertThat(reader.readLine()).hasSize(40_000);
        assertThat(reader.readLine()).isEqualTo("last");
        assertThat(reader.readLine()).isNull();
        assertThat(reader.readLine()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {1_001, 16_384, 16_385, 1_000_000})
    void longLineIsSkippedAndItsIdKnown(int length) throws IOException {
        String text = "x".repeat(length);
        BoundedLineReader reader = reader(
                text + "\n{\"id\":\"first\",\"result\":\"" + text + "\"}\n{\"result\":\"" + text
                        + "\",\"id\":\"last\"}\nnext\n" + text,
                1_000);
        assertLineSkipped(reader, "");
        assertLineSkipped(reader, "first");
        assertLineSkipped(reader, "last");
        assertThat(reader.readLine()).isEqualTo("next");
        assertLineSkipped(reader, "");
        assertThat(reader.readLine()).isNull();
    }

    @Test
    void lineWithoutAnEndIsNotSkippedForEver() {
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return 'x';
            }

            @Override
            public int read(byte[] bytes, int from, int length) {
                Arrays.fill(bytes, from, from + length, (byte) 'x');
                return length;
            }
        };
        assertThatExceptionOfType(BoundedLineReader.EndlessLineException.class)
                .isThrownBy(new BoundedLineReader(endless, 1_000)::readLine);
    }
}
