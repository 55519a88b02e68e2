package org.sallyport.connector.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonOrYamlReaderTest {
    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text);
    }

    private static void assertRead(String text, String expected) throws Exception {
        // Compared as texts: whole numbers of different Java types are equal as JSON.
        assertThat(JsonOrYamlReader.read(text).toString())
                .isEqualTo(json(expected).toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\n\t\"a\": \"caf\\u00e9\",\n\t\"b\": [1, 2]\n}",
                "\ufeff{\"a\":\"café\",\"b\":[1,2]}",
                "  \r\n\t{ \t\"a\":\"café\",\"b\":[1,2]}\n\n",
                "// as an editor writes it\n{\"a\":\"café\", /* two */ \"b\":[1,2,],}",
                "{ // comment\n\"a\":\"café\",\"b\":[1,2]}",
                "{a: café, b: [1, 2]}",
                "\ufeffa: café\nb:\n- 1\n- 2\n",
                "--- # document\n\"a\": 'café'\nb: [1, 2]\n...\n",
            })
    void jsonAndYamlGiveTheSame(String text) throws Exception {
        assertRead(text, "{\"a\":\"café\",\"b\":[1,2]}");
    }

    @Test
    void textWithoutADocumentIsNull() throws Exception {
        for (String text : new String[] {"", "\n", "# later\n", "null", "~", "\ufeff"}) {
            assertThat(JsonOrYamlReader.read(text).isNull()).as(text).isTrue();
        }
        assertRead("[]", "[]");
        assertRead("{}", "{}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '@',
            value = {
                "yes       | \"yes\"",
                "No        | \"No\"",
                "on        | \"on\"",
                "OFF       | \"OFF\"",
                "y         | \"y\"",
                "true      | true",
                "False     | false",
                "~         | null",
                "NULL      | null",
                "1_000     | \"1_000\"",
                "12:30:00  | \"12:30:00\"",
                "190:20    | \"190:20\"",
                "2024-01-01 | \"2024-01-01\"",
                "0o10      | 8",
                "010       | 10",
                "0x1F      | 31",
                "0b11      | \"0b11\"",
                "+12       | 12",
                "-7        | -7",
                "9007199254740993 | 9007199254740993",
                "99999999999999999999 | 99999999999999999999",
                "1.5       | 1.5",
                ".5        | 0.5",
                "1.        | 1.0",
                "1e3       | 1000.0",
                "1.2.3     | \"1.2.3\"",
                "'404'     | \"404\"",
                "!!str 404 | \"404\"",
                "!!int 404 | 404",
                "a b       | \"a b\"",
                "<<        | \"<<\"",
                "=         | \"=\"",
            })
    void plainScalarHasTheTypeOfYaml12(String scalar, String value) throws Exception {
        assertRead("v: " + scalar, "{\"v\":" + value + "}");
        assertRead("- " + scalar, "[" + value + "]");
    }

    @Test
    void keysAreTexts() throws Exception {
        assertRead(
                "404: a\ntrue: b\n~: c\non: d\n0x10: e\n",
                "{\"404\":\"a\",\"true\":\"b\",\"~\":\"c\",\"on\":\"d\"," + "\"0x10\":\"e\"}");
    }

    @Test
    void anchorsAndMergeKeysAreResolved() throws Exception {
        assertRead("""
                x: &list
                  - { name: page }
                base: &base { type: object, required: [name] }
                ok: &ok
                  "200": { description: fine }
                more: &more { <<: *base, required: [other], extra: 1 }
                first: *list
                merged: { <<: *base, description: merged }
                listed: { <<: [*ok, *more], 404: none }
                quoted: { "<<": 1 }
                again: *base
                """, """
                {"x":[{"name":"page"}],
                 "base":{"type":"object","required":["name"]},
                 "ok":{"200":{"description":"fine"}},
                 "more":{"required":["other"],"extra":1,"type":"object"},
                 "first":[{"name":"page"}],
                 "merged":{"description":"merged","type":"object","required":["name"]},
                 "listed":{"404":"none","200":{"description":"fine"},"required":["other"],"extra":1,"type":"object"},
                 "quoted":{"<<":1},
                 "again":{"type":"object","required":["name"]}}
                """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '@',
            value = {
                "@{\"a\":1,\n \"a\":2}@     | is no JSON: | (line 2, column ",
                "@{\"a\":1\n@               | is no JSON: | line ",
                "@{\"a\":1} x@              | is no JSON: | (line 1, column ",
                "@{\"a\":'x'}@              | is no JSON: | (line 1, column ",
                "@a: 1\na: 2@               | is no YAML: the key 'a' occurs twice | (line 2, column 1)",
                "@a: [1\nb: 2@              | is no YAML: | (line ",
                "@a: *b@                    | is no YAML: | (line 1, column ",
                "@a: &a [*a]@               | is no YAML: an anchor contains its own alias | (line 1, column ",
                "@a: !Ref x@                | is no YAML: a tag (a text that begins with '!') is | (line 1, column 4)",
                "@a: !!binary eA==@         | is no YAML: a tag (a text that begins with '!') is | (line 1, column 4)",
                "@a: .inf@                  | is no YAML: a number cannot be written as JSON | (line 1, column 4)",
                "@? [a]\n: b@               | is no YAML: a key is a list or a mapping | (line 1, column 3)",
                "@a: {<<: 1}@               | is no YAML: a merge key has a value that is no mapping | (line 1, col",
                "@a: 1\n---\nb: 1@          | is no YAML: | (line 2, column 1)",
                "@a:\n\t- b@                | is no YAML: | (line 2, column 1)",
            })
    void faultHasItsPlace(String text, String reason, String place) {
        assertThatThrownBy(() -> JsonOrYamlReader.read(text))
                .isInstanceOf(UnreadableDocumentException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining(place);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\": Secret1}",
                "{\"a\": 12Secret1}",
                "{\"a\": 'Secret1'}",
                "{\"a\": \"Secret1}",
                "{\"a\": \"Secret1\n\"}",
                "a: *Secret1",
                "a: !Secret1 b",
                "a: !Secret1",
                "a: &Secret1 b: c",
                "a: \"Secret1",
                "a: [Secret1",
                "a: 'Secret1' Secret1",
                "a: %Secret1",
                "a: @Secret1",
                "a: \"\\Secret1\"",
            })
    void errorsDoNotQuoteValues(String text) {
        assertThatThrownBy(() -> JsonOrYamlReader.read(text))
                .isInstanceOf(UnreadableDocumentException.class)
                .hasMessageNotContaining("Secret1");
    }

    @Test
    @Timeout(60)
    void membersThatMergeKeysCopyAreBounded() throws Exception {
        StringBuilder chain = new StringBuilder("a0: &a0 {x0: 1}\n");
        for (int i = 1; i < 300; i++) {
            chain.append("a%d: &a%d {<<: *a%d, x%d: 1}%n".formatted(i, i, i - 1, i));
        }
        assertThat(JsonOrYamlReader.read(chain.toString()).path("a299").size()).isEqualTo(300);

        StringBuilder copies = new StringBuilder("large: &large {");
        for (int i = 0; i < 20_000; i++) {
            copies.append("x%d: 1, ".formatted(i));
        }
        copies.append("y: 1}\n");
        for (int i = 0; i < 20_000; i++) {
            copies.append("copy%d: {<<: *large}%n".formatted(i));
        }
        assertThatThrownBy(() -> JsonOrYamlReader.read(copies.toString()))
                .hasMessageContaining("the merge keys make it too large");
    }

    @Test
    @Timeout(60)
    void sizeAndDepthAreBounded() throws Exception {
        StringBuilder bomb = new StringBuilder("a0: &a0 " + "x".repeat(100) + "\n");
        for (int i = 1; i < 40; i++) {
            bomb.append("a%d: &a%d [*a%d, *a%d]%n".formatted(i, i, i - 1, i - 1));
        }
        assertThatThrownBy(() -> JsonOrYamlReader.read(bomb.toString())).hasMessageContaining("too large");

        StringBuilder deep = new StringBuilder("a0: &a0 []\n");
        for (int i = 1; i < JsonOrYamlReader.MAX_DEPTH + 10; i++) {
            deep.append("a%d: &a%d [*a%d]%n".formatted(i, i, i - 1));
        }
        assertThatThrownBy(() -> JsonOrYamlReader.read(deep.toString())).hasMessageContaining("nested deeper");
        for (String nested : new String[] {"[".repeat(100_000), "{\"a\":".repeat(5_000), "{a: ".repeat(5_000)}) {
            assertThatThrownBy(() -> JsonOrYamlReader.read(nested)).isInstanceOf(UnreadableDocumentException.class);
        }
        assertThatThrownBy(() -> JsonOrYamlReader.read("a: " + "9".repeat(100_000)))
                .hasMessageContaining("cannot be written as JSON");
    }

    @Test
    @Timeout(60)
    void largeDocumentsAreRead() throws Exception {
        StringBuilder json = new StringBuilder("{\n");
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 60_000; i++) {
            json.append("\t\"member").append(i).append("\": {\n\t\t\"description\": \"as documents have\"\n\t},\n");
            yaml.append("member").append(i).append(":\n  description: a text, as documents have\n");
        }
        assertThat(yaml.length()).isGreaterThan(3 << 20);
        assertThat(JsonOrYamlReader.read(json + "\"last\": 1}").size()).isEqualTo(60_001);
        assertThat(JsonOrYamlReader.read(yaml.toString()).size()).isEqualTo(60_000);
    }
}
