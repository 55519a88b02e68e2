package org.sallyport.submission.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.sallyport.tool.Json;

class CsvArgumentsTest {
    private static CsvFile file(String csv) {
        return new CsvFile(
                () -> new ByteArrayInputStream(csv.getBytes(StandardCharsets.UTF_8)), 1_000_000, memory -> {});
    }

    private static String arguments(String schema, String csv) {
        CsvFile file = file(csv);
        return new CsvArguments(file.columns(), schema.isEmpty() ? Optional.empty() : Optional.of(new Json(schema)))
                .argumentsOf(file.rows().next())
                .toString();
    }

    /** The value that a cell of the only column {@code x} becomes. */
    private static String value(String property, String cell) {
        String quoted = '"' + cell.replace("\"", "\"\"") + '"';
        return arguments("{\"properties\": {\"x\": " + property + "}}", "x\n" + quoted + "\n");
    }

    @Test
    void schemaGivesTheTypesOfTheColumns() {
        assertThat(value("{\"type\": \"number\"}", "1.25")).isEqualTo("{\"x\":1.25}");
        assertThat(value("{\"type\": \"integer\"}", " -12 ")).isEqualTo("{\"x\":-12}");
        assertThat(value("{\"type\": \"integer\"}", "123456789012345678901234567890"))
                .isEqualTo("{\"x\":123456789012345678901234567890}");
        assertThat(value("{\"type\": \"boolean\"}", "TRUE")).isEqualTo("{\"x\":true}");
        assertThat(value("{\"type\": \"string\"}", "007")).isEqualTo("{\"x\":\"007\"}");
        assertThat(value("{\"type\": \"object\"}", "{\"a\": [1, 2.50]}")).isEqualTo("{\"x\":{\"a\":[1,2.50]}}");
        assertThat(value("{\"type\": \"array\"}", "[1]")).isEqualTo("{\"x\":[1]}");
        assertThat(value("{\"type\": [\"null\", \"number\"]}", "null")).isEqualTo("{\"x\":null}");
    }

    @Test
    void textThatIsNoValueOfTheTypeStaysText() {
        for (String cell : new String[] {"007", "+1", "1,5", ".5", "1.", "0x1", "NaN", "Infinity", "1 000", "x"}) {
            assertThat(value("{\"type\": \"number\"}", cell)).isEqualTo("{\"x\":\"" + cell + "\"}");
        }
        assertThat(value("{\"type\": \"boolean\"}", "yes")).isEqualTo("{\"x\":\"yes\"}");
        assertThat(value("{\"type\": \"array\"}", "[1")).isEqualTo("{\"x\":\"[1\"}");
        assertThat(value("{\"type\": \"object\"}", "{} {}")).isEqualTo("{\"x\":\"{} {}\"}");
    }

    @Test
    void rowWithTooManyJsonValuesIsRefused() {
        String values = "[" + "0,".repeat(199_998) + "0]";
        assertThat(value("{\"type\": \"array\"}", values)).isEqualTo("{\"x\":" + values + "}");
        assertThatThrownBy(() -> value("{\"type\": \"array\"}", "[" + "0,".repeat(200_000) + "0]"))
                .isInstanceOf(MalformedCsvException.class)
                .hasMessageContaining("200000 JSON values");
        String text = ",".repeat(300_000);
        assertThat(value("{\"type\": \"string\"}", text)).isEqualTo("{\"x\":\"" + text + "\"}");
    }

    @Test
    void typesComeFromEnumsCombinationsAndReferences() {
        assertThat(value("{\"enum\": [1, 2]}", "1")).isEqualTo("{\"x\":1}");
        assertThat(value("{\"const\": true}", "true")).isEqualTo("{\"x\":true}");
        assertThat(value("{\"anyOf\": [{\"type\": \"boolean\"}, {\"type\": \"number\"}]}", "5"))
                .isEqualTo("{\"x\":5}");
        String nested = "{\"$ref\": \"#/$defs/all\", \"$defs\": {\"n\": {\"type\": \"integer\"}, "
                + "\"all\": {\"properties\": {\"x\": {\"$ref\": \"#/$defs/n\"}}}}}";
        assertThat(arguments(nested, "x\n3\n")).isEqualTo("{\"x\":3}");
        assertThat(arguments("{\"additionalProperties\": {\"type\": \"integer\"}}", "x\n3\n"))
                .isEqualTo("{\"x\":3}");
    }

    @Test
    void columnsThatTheSchemaDoesNotDescribeAreTexts() {
        assertThat(arguments("", "x,y\n1,true\n")).isEqualTo("{\"x\":\"1\",\"y\":\"true\"}");
        assertThat(arguments("{\"additionalProperties\": false}", "x\n1\n")).isEqualTo("{\"x\":\"1\"}");
    }

    @Test
    void emptyCellLeavesTheArgumentOutAndAnEmptyTextDoesNot() {
        assertThat(arguments("", "x,y,z\n,\"\",1\n")).isEqualTo("{\"y\":\"\",\"z\":\"1\"}");
    }

    @Test
    void rowWithAnotherNumberOfCellsIsRefused() {
        assertThatThrownBy(() -> arguments("", "x,y\n1\n")).isInstanceOf(MalformedCsvException.class);
        assertThatThrownBy(() -> arguments("", "x,y\n1,2,3\n")).isInstanceOf(MalformedCsvException.class);
    }

    @Test
    void schemaThatRefersToItselfInManyPlacesTakesNoTime() {
        String parts = "{\"$ref\": \"#\"},".repeat(2_000) + "{\"$ref\": \"#\"}";
        Assertions.assertTimeout(
                Duration.ofSeconds(20),
                () -> assertThat(arguments(
                                "{\"anyOf\": [" + parts + "], \"properties\": {\"x\": {\"$ref\": \"#\"}}}", "x\n1\n"))
                        .isEqualTo("{\"x\":\"1\"}"));
    }

    @Test
    void manySchemasWithManyPartsTakeLittleTime() {
        String parts = "{\"additionalProperties\":{\"$ref\":\"#/$defs/b\"}},".repeat(1_000) + "{}";
        String many = "{},".repeat(15_000) + "{\"type\": \"integer\"}";
        String schema = "{\"anyOf\": [" + parts + "], \"$defs\": {\"b\": {\"anyOf\": [" + many + "]}}}";
        Assertions.assertTimeout(
                Duration.ofSeconds(20),
                () -> assertThat(arguments(schema, "x\n1\n")).isEqualTo("{\"x\":1}"));
    }

    @Test
    void longChainOfReferencesIsFollowed() {
        String chain = IntStream.range(0, 5_000)
                .mapToObj(i -> "\"d" + i + "\": {\"$ref\": \"#/$defs/d" + (i + 1) + "\"}, ")
                .collect(Collectors.joining());
        String schema = "{\"properties\": {\"x\": {\"$ref\": \"#/$defs/d0\"}}, \"$defs\": {" + chain
                + "\"d5000\": {\"type\": \"integer\"}}}";

        assertThat(arguments(schema, "x\n1\n")).isEqualTo("{\"x\":1}");
    }

    @Test
    void namesAreThoseOfTheProperties() {
        String schema = """
                {"properties": {"b": {}, "a": {}}, "allOf": [{"properties": {"c": {}, "a": {}}}]}""";
        assertThat(CsvArguments.namesIn(Optional.of(new Json(schema)))).containsExactly("b", "a", "c");
        assertThat(CsvArguments.namesIn(Optional.empty())).isEmpty();
    }
}
