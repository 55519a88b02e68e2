package org.sallyport.submission.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsvFileTest {
    private static final int MAX_ROW_CHARS = 50_000;

    private static CsvFile file(String text) {
        return file(text, StandardCharsets.UTF_8);
    }

    private static CsvFile file(String text, Charset charset) {
        return new CsvFile(() -> new ByteArrayInputStream(text.getBytes(charset)), MAX_ROW_CHARS, memory -> {});
    }

    private static List<List<String>> cells(CsvFile file) {
        List<List<String>> all = new ArrayList<>();
        file.rows()
                .forEachRemaining(row -> all.add(IntStream.range(0, row.size())
                        .mapToObj(column -> row.cell(column).orElse("nothing"))
                        .toList()));
        return all;
    }

    @Test
    void headerNamesTheColumnsAndTheRestAreRows() {
        CsvFile file = file("name,price\r\nlamp,5\r\nchair,7\r\n");

        assertThat(file.columns()).containsExactly("name", "price");
        assertThat(cells(file)).containsExactly(List.of("lamp", "5"), List.of("chair", "7"));
        assertThat(cells(file)).as("read again").hasSize(2);
    }

    @Test
    void memoryOfARowIsReservedAsItGrows() {
        byte[] bytes = ("a\n" + "x".repeat(MAX_ROW_CHARS - 1_000)).getBytes(StandardCharsets.UTF_8);
        IllegalStateException refusal = new IllegalStateException("no memory");
        CsvFile file = new CsvFile(() -> new ByteArrayInputStream(bytes), MAX_ROW_CHARS, memory -> {
            if (memory > 140_000) {
                throw refusal;
            }
        });

        assertThatThrownBy(() -> file.rows().next()).isSameAs(refusal);
    }

    @Test
    void quotedCellsHoldCommasQuotesAndLineEnds() {
        assertThat(cells(file("a,b\n\"x, \"\"y\"\"\",\"1\r\n2\"\n"))).containsExactly(List.of("x, \"y\"", "1\r\n2"));
    }

    @Test
    void byteOrderMarkBothLineEndsAndAMissingLastLineEndAreTaken() {
        for (String text : List.of("a,b\n1,2", "a,b\r\n1,2\r\n", "\uFEFFa,b\r\n1,2", "a,b\r1,2\r")) {
            CsvFile file = file(text);
            assertThat(file.columns()).containsExactly("a", "b");
            assertThat(cells(file)).containsExactly(List.of("1", "2"));
        }
    }

    @Test
    void emptyCellDiffersFromAnEmptyTextInQuotes() {
        assertThat(cells(file("a,b,c\n,\"\",x\n"))).containsExactly(List.of("nothing", "", "x"));
    }

    @Test
    void blankLinesAreSkippedAndLinesAreCounted() {
        CsvFile file = file("a\n\n1\n\"two\nlines\"\n3\n");
        List<Long> lines = new ArrayList<>();
        file.rows().forEachRemaining(row -> lines.add(row.line()));

        assertThat(lines).containsExactly(3L, 4L, 6L);
    }

    @Test
    void rowsMayHaveOtherNumbersOfCellsThanTheHeader() {
        assertThat(cells(file("a,b\n1\n1,2,3\n"))).containsExactly(List.of("1"), List.of("1", "2", "3"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n\n", "a,,b\n1,2,3", "a,b,a\n1,2,3", "name;price\nx;1", "a\tb\n1\t2"})
    void unusableHeaderIsRefused(String text) {
        assertThatThrownBy(() -> file(text)).isInstanceOf(MalformedCsvException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\n\"x", "a\n\"x\"y\n", "a\n1\n\"x\ny"})
    void malformedQuotesAreRefused(String text) {
        assertThatThrownBy(() -> cells(file(text)))
                .isInstanceOf(MalformedCsvException.class)
                .hasMessageContaining("line");
    }

    @Test
    void onlyUtf8IsTaken() {
        assertThatThrownBy(() -> cells(file("a\n\u00fc", StandardCharsets.ISO_8859_1)))
                .isInstanceOf(MalformedCsvException.class)
                .hasMessageContaining("UTF-8");
        assertThatThrownBy(() -> cells(file("a\n1", StandardCharsets.UTF_16)))
                .isInstanceOf(MalformedCsvException.class);
    }

    @Test
    void rowsAndTheHeaderAreBounded() {
        String wide = IntStream.range(0, 1_001).mapToObj(Integer::toString).collect(Collectors.joining(","));
        assertThatThrownBy(() -> file(wide)).isInstanceOf(MalformedCsvException.class);
        assertThatThrownBy(() -> cells(file("a\n" + ",".repeat(1_001)))).isInstanceOf(MalformedCsvException.class);
        assertThatThrownBy(() -> cells(file("a\n" + "x".repeat(MAX_ROW_CHARS + 1))))
                .isInstanceOf(MalformedCsvException.class);
        String half = "x".repeat(MAX_ROW_CHARS / 2);
        assertThat(cells(file("a,b\n" + half + "," + half))).hasSize(1);
        assertThatThrownBy(() -> cells(file("a,b\n" + half + "," + half + "x")))
                .isInstanceOf(MalformedCsvException.class)
                .hasMessageContaining("line 2");
        assertThatThrownBy(() -> file("x".repeat(201) + "\n")).isInstanceOf(MalformedCsvException.class);
        assertThatThrownBy(() -> cells(file("a\n\"" + "x".repeat(4 * MAX_ROW_CHARS))))
                .isInstanceOf(MalformedCsvException.class);
    }

    @Test
    void cellOfARowIsEmptyWithoutText() {
        assertThat(file("a,b\n1,\n").rows().next().cell(1)).isEqualTo(Optional.empty());
    }
}
