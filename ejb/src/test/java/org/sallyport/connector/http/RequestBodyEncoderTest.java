package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies are of the declared media type, and arguments that it cannot carry are refused by name. */
class RequestBodyEncoderTest {
    private static final ArgumentFormat DEEP = new ArgumentFormat(ParameterStyle.DEEP_OBJECT, true, false);

    private static JsonNode json(String text) {
        try {
            return ExactJsonMapper.read(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static EncodedBody encode(String contentType, String value, Map<String, BodyFormat.PartFormat> parts) {
        return RequestBodyEncoder.encode(BodyFormat.of(contentType, parts).orElseThrow(), "body", json(value));
    }

    private static BodyFormat.PartFormat style(ArgumentFormat format) {
        return new BodyFormat.PartFormat(Optional.of(format), Optional.empty(), false);
    }

    private static String text(EncodedBody body) {
        return new String(body.content(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "application/json                       | {\"a\":1.50,\"b\":9007199254740993} | "
                        + "{\"a\":1.50,\"b\":9007199254740993}",
                "application/json-patch+json; charset=utf-8 | [{\"op\":\"add\"}] | [{\"op\":\"add\"}]",
                "application/vnd.api+json               | null             | null",
                "application/json; charset=iso-8859-1   | \"ä€\"           | \"\\u00e4\\u20ac\"",
                "application/json                       | \"😀\"           | \"😀\"",
                "application/json; charset=us-ascii     | \"😀\"           | \"\\ud83d\\ude00\"",
                "text/plain                             | \"😀\"           | 😀",
                "text/plain                             | \"Größe\"        | Größe",
                "text/csv; header=present               | \"a,b\"          | a,b",
                "application/xml                        | \"<a/>\"         | <a/>",
                "text/plain                             | 12345678.90      | 12345678.9",
                "image/svg+xml                          | {\"$base64\":\"PGEvPg==\",\"type\":\"Uint8Array\"} | <a/>",
                "application/octet-stream               | {\"$base64\":\"YWI=\",\"type\":\"Uint8Array\"} | ab",
                "application/pdf                        | {\"base64\":\"YWI=\",\"contentType\":\"x/y\"} | ab",
                "image/png                              | \"text\"         | text",
            })
    void bodyHasTheDeclaredContentType(String contentType, String value, String content) {
        EncodedBody body = encode(contentType, value, Map.of());
        assertThat(body.contentType()).isEqualTo(contentType);
        assertThat(text(body)).isEqualTo(content);
    }

    @Test
    void textIsInTheDeclaredCharacterSet() {
        assertThat(encode("text/plain; charset=iso-8859-1", "\"ü\"", Map.of()).content())
                .containsExactly(0xfc);
        assertThatThrownBy(() -> encode("text/plain; charset=iso-8859-1", "\"€\"", Map.of()))
                .hasMessageContaining("characters that ISO-8859-1 cannot encode");
    }

    @Test
    void jsonIsInTheDeclaredCharacterSet() {
        EncodedBody body = encode("application/json; charset=utf-16be", "\"ä😀\"", Map.of());
        assertThat(new String(body.content(), StandardCharsets.UTF_16BE)).isEqualTo("\"\\u00e4\\ud83d\\ude00\"");
    }

    @Test
    void loneSurrogateStaysAnEscapeInJsonAndIsReplacedInTexts() {
        assertThat(text(encode("application/json", "\"\\ud800\"", Map.of()))).isEqualTo("\"\\ud800\"");
        assertThat(text(encode("text/plain", "\"a\\ud800b\"", Map.of()))).isEqualTo("a\ufffdb");
    }

    @Test
    void rangeOfMediaTypesTakesTheTypeOfTheFile() {
        assertThat(encode("image/*", "{\"$base64\":\"AA==\",\"type\":\"image/gif\"}", Map.of())
                        .contentType())
                .isEqualTo("image/gif");
        assertThat(encode(
                                "image/*",
                                "{\"content\":{\"base64\":\"AA==\",\"contentType\":\"image/gif\"},\"filename\":\"a\"}",
                                Map.of())
                        .contentType())
                .isEqualTo("image/gif");
        assertThat(encode("*/*", "{}", Map.of()).contentType()).isEqualTo("application/json");
        assertThat(encode("application/*+json", "{}", Map.of()).contentType()).isEqualTo("application/json");
        assertThat(encode("application/*+xml", "\"<a/>\"", Map.of()).contentType())
                .isEqualTo("application/xml");
        assertThat(encode("text/*; q=1", "\"a\"", Map.of()).contentType()).isEqualTo("text/plain");
    }

    @Test
    void formHasTheStylesOfItsMembers() {
        EncodedBody body = encode(
                "application/x-www-form-urlencoded",
                "{\"email\":\"a@b.c\",\"metadata\":{\"order\":6735},\"items\":[{\"price\":\"p\"}],\"gone\":null}",
                Map.of("metadata", style(DEEP), "items", style(DEEP)));
        assertThat(body.contentType()).isEqualTo("application/x-www-form-urlencoded");
        assertThat(text(body)).isEqualTo("email=a%40b.c&metadata[order]=6735&items[0][price]=p");
    }

    @Test
    void formWithoutStylesRepeatsListsAndWritesObjectsAsJson() {
        assertThat(text(encode(
                        "application/x-www-form-urlencoded",
                        "{\"tags[]\":[\"a b\",\"c&d\"],\"o\":{\"x\":1},\"l\":[{\"y\":2}],\"none\":[],\"b\":false}",
                        Map.of())))
                .isEqualTo("tags%5B%5D=a%20b&tags%5B%5D=c%26d&o=%7B%22x%22%3A1%7D&l=%7B%22y%22%3A2%7D&b=false");
    }

    @Test
    void multipartHasAPartForEachMemberAndItem() {
        EncodedBody body = encode(
                "multipart/form-data",
                """
                {"note": "ü", "n": 1.50, "o": {"a": 1}, "gone": null, "tags": ["x", "y"],
                 "file": {"$base64": "AP8=", "type": "image/png", "filename": "a\\"\\r\\nb.png"},
                 "bytes": {"$base64": "QQ==", "type": "Uint8Array"},
                 "named": {"content": {"$base64": "Qg==", "type": "Uint8Array"}, "filename": "b.bin"},
                 "csv": {"content": "a,b", "filename": "t.csv", "type": "text/csv"},
                 "said": {"content": "hi", "type": "text"},
                 "typed": {"content": "<a/>", "type": "text/html"},
                 "data": {"content": "hi", "type": "text/plain", "lang": "en"},
                 "download": {"content": {"base64": "RA==", "contentType": "image/gif"}, "filename": "d.gif"},
                 "nested": [[1]],
                 "plain": "c"}
                """,
                Map.of("plain", new BodyFormat.PartFormat(Optional.empty(), Optional.of("text/x-c"), true)));
        String boundary = body.contentType().substring("multipart/form-data; boundary=".length());
        String expected = """
                --B
                Content-Disposition: form-data; name="note"

                ü
                --B
                Content-Disposition: form-data; name="n"

                1.5
                --B
                Content-Disposition: form-data; name="o"
                Content-Type: application/json

                {"a":1}
                --B
                Content-Disposition: form-data; name="tags"

                x
                --B
                Content-Disposition: form-data; name="tags"

                y
                --B
                Content-Disposition: form-data; name="file"; filename="a%22%0D%0Ab.png"
                Content-Type: image/png

                BYTES
                --B
                Content-Disposition: form-data; name="bytes"; filename="bytes"
                Content-Type: application/octet-stream

                A
                --B
                Content-Disposition: form-data; name="named"; filename="b.bin"
                Content-Type: application/octet-stream

                B
                --B
                Content-Disposition: form-data; name="csv"; filename="t.csv"
                Content-Type: text/csv

                a,b
                --B
                Content-Disposition: form-data; name="said"
                Content-Type: application/json

                {"content":"hi","type":"text"}
                --B
                Content-Disposition: form-data; name="typed"; filename="typed"
                Content-Type: text/html

                <a/>
                --B
                Content-Disposition: form-data; name="data"
                Content-Type: application/json

                {"content":"hi","type":"text/plain","lang":"en"}
                --B
                Content-Disposition: form-data; name="download"; filename="d.gif"
                Content-Type: image/gif

                D
                --B
                Content-Disposition: form-data; name="nested"
                Content-Type: application/json

                [1]
                --B
                Content-Disposition: form-data; name="plain"; filename="plain"
                Content-Type: text/x-c

                c
                --B--
                """.replace("\n", "\r\n");
        assertThat(new String(body.content(), StandardCharsets.ISO_8859_1))
                .isEqualTo(expected.replace("--B", "--" + boundary)
                        .replace("BYTES", "\u0000\u00ff")
                        .replace("ü", "\u00c3\u00bc"));
    }

    @Test
    void emptyMultipartBodyHasItsLastBoundaryAlone() {
        assertThat(text(encode("multipart/form-data", "{\"a\":null,\"b\":[]}", Map.of())))
                .matches("--sallyport-[0-9a-f]{40}--\r\n");
    }

    /** Without a limit, 249,000 characters of arguments would make a body of 4.9 GB. */
    @ParameterizedTest
    @ValueSource(strings = {"application/x-www-form-urlencoded", "multipart/form-data"})
    void namesThatAreRepeatedDoNotGrowWithoutBound(String contentType) {
        for (int length : new int[] {2_000, 49_000}) {
            String items = "[1" + ",1".repeat(2 * length) + "]";
            String value = "{\"" + "n".repeat(length) + "\":" + items + "}";
            assertThatThrownBy(() -> encode(contentType, value, Map.of()))
                    .isInstanceOf(UnencodableArgumentException.class)
                    .hasMessage("the body would be longer than " + ((1 << 20) + 10 * value.length()) + " bytes");
        }
        assertThat(encode(contentType, "{\"name\":[1" + ",1".repeat(5_000) + "]}", Map.of())
                        .content())
                .hasSizeGreaterThan(30_000);
    }

    @Test
    void namesOfNestedMembersDoNotGrowWithoutBound() {
        String value = "{\"a\":{\"" + "n".repeat(2_000) + "\":[1" + ",1".repeat(1_000) + "]}}";
        assertThatThrownBy(() -> encode("application/x-www-form-urlencoded", value, Map.of("a", style(DEEP))))
                .hasMessageContaining("the body would be longer than");
    }

    @Test
    void textWithAMediaTypeIsDataWhereJsonIsDeclared() {
        Map<String, BodyFormat.PartFormat> parts =
                Map.of("a", new BodyFormat.PartFormat(Optional.empty(), Optional.of("application/json"), false));
        assertThat(text(encode("multipart/form-data", "{\"a\":{\"content\":\"b\",\"type\":\"text/csv\"}}", parts)))
                .contains("Content-Type: application/json\r\n\r\n{\"content\":\"b\",\"type\":\"text/csv\"}\r\n");
    }

    @Test
    void objectWhereAFileIsDeclaredMustBeAFile() {
        Map<String, BodyFormat.PartFormat> parts =
                Map.of("a", new BodyFormat.PartFormat(Optional.empty(), Optional.empty(), true));
        assertThatThrownBy(() -> encode("multipart/form-data", "{\"a\":{\"b\":1}}", parts))
                .hasMessageContaining("'a' must be a file");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"$base64\":\"QQ==\",\"caption\":\"c\"}                            | has no member 'caption'",
                "{\"$base64\":\"QQ==\",\"contentType\":\"image/png\"}                | has no member 'contentType'",
                "{\"base64\":\"QQ==\",\"contentType\":\"a/b\",\"name\":\"c\"}        | has no member 'name'",
                "{\"content\":{\"$base64\":\"QQ==\"},\"name\":\"a.png\"}             | has no member 'name'",
                "{\"content\":{\"$base64\":\"QQ==\",\"x\":1},\"filename\":\"a\"}     | has no member 'x'",
                "{\"content\":\"a\",\"filename\":\"a\",\"mime\":\"text/csv\"}          | has no member 'mime'",
                "{\"$base64\":\"QQ==\",\"type\":\"png\"}                             | 'type' is no media type",
                "{\"$base64\":\"QQ==\",\"type\":\"image/*\"}                         | 'type' is no media type",
                "{\"$base64\":\"QQ==\",\"type\":\"image/png\\r\\n\\r\\n;evil\"}      | 'type' is no media type",
                "{\"content\":\"a\",\"filename\":\"a\",\"type\":\"text\"}              | 'type' is no media type",
                "{\"$base64\":\"QQ==\",\"filename\":7}                               | 'filename' is no text",
            })
    void fileWithMembersThatCannotBeSentIsRefused(String file, String reason) {
        for (String contentType : List.of("multipart/form-data", "image/png")) {
            String value = contentType.equals("image/png") ? file : "{\"body\":" + file + "}";
            assertThatThrownBy(() -> encode(contentType, value, Map.of()))
                    .isInstanceOf(UnencodableArgumentException.class)
                    .hasMessageContaining("'body' is a file")
                    .hasMessageContaining(reason);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "application/x-www-form-urlencoded | {\"f\":{\"$base64\":\"QQ==\",\"type\":\"Uint8Array\"}}",
                "application/x-www-form-urlencoded | {\"f\":[{\"$base64\":\"QQ==\"}]}",
                "application/x-www-form-urlencoded | {\"f\":{\"a\":{\"$base64\":\"QQ==\"}}}",
                "multipart/form-data               | {\"f\":{\"a\":[{\"$base64\":\"QQ==\"}]}}",
            })
    void bytesAreRefusedWhereAServerWouldGetTheirFormInScripts(String contentType, String value) {
        assertThatThrownBy(() -> encode(contentType, value, Map.of()))
                .isInstanceOf(UnencodableArgumentException.class)
                .hasMessageContaining("'f' has bytes");
    }

    @Test
    void listThatIsDeclaredAsJsonIsOneValue() {
        Map<String, BodyFormat.PartFormat> parts =
                Map.of("l", new BodyFormat.PartFormat(Optional.empty(), Optional.of("application/json"), false));
        assertThat(text(encode("application/x-www-form-urlencoded", "{\"l\":[1,2]}", parts)))
                .isEqualTo("l=%5B1%2C2%5D");
        assertThat(text(encode("multipart/form-data", "{\"l\":[1,2]}", parts)))
                .contains("name=\"l\"\r\nContent-Type: application/json\r\n\r\n[1,2]\r\n");
    }

    @Test
    void contentCannotContainTheBoundary() {
        String first = encode("multipart/form-data", "{\"a\":\"x\"}", Map.of()).contentType();
        String boundary = first.substring(first.indexOf('=') + 1);
        EncodedBody second = encode("multipart/form-data", "{\"a\":\"--" + boundary + "\"}", Map.of());
        assertThat(second.contentType()).isNotEqualTo(first);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "application/x-www-form-urlencoded | [1]        | must be an object",
                "multipart/form-data               | \"text\"   | must be an object",
                "text/plain                        | {\"a\":1}  | must be a text, because the body is text/plain",
                "image/png                         | {}         | must be bytes",
                "image/png                         | 7          | must be bytes",
                "image/png                         | {\"$base64\":\"?\"} | that are not Base64",
                "image/*                           | {\"$base64\":\"QQ==\",\"type\":\"DataView\"} | must have a 'type'",
                "image/*                           | {\"$base64\":\"QQ==\",\"type\":\"text/csv\"} | one of image/*",
                "image/*                           | \"text\"   | must have a 'type'",
                "application/x-www-form-urlencoded | {\"\":1}   | has a member without a name",
                "multipart/form-data               | {\"\":1}   | has a member without a name",
            })
    void argumentThatTheMediaTypeCannotCarryIsRefused(String contentType, String value, String reason) {
        assertThatThrownBy(() -> encode(contentType, value, Map.of()))
                .isInstanceOf(UnencodableArgumentException.class)
                .hasMessageContaining("'body'")
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "multipart/mixed",
                "multipart/related; type=x",
                "text/plain; charset=unknown-8",
                "json",
                "a/b\r\nX: y",
                "a/b\r\n;x",
                "a/b;x\u0080",
                "application/*+cbor",
                "image/*+xml",
                "*/*+xml",
                "image/png, image/gif",
                "*/json",
                ""
            })
    void mediaTypeThatCannotBeSentIsKnownBefore(String contentType) {
        assertThat(BodyFormat.of(contentType, Map.of())).isEmpty();
    }

    @Test
    void largeFileKeepsItsBytes() {
        byte[] bytes = new byte[100_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31);
        }
        String base64 = Base64.getEncoder().encodeToString(bytes);
        assertThat(encode("image/png", "{\"$base64\":\"" + base64 + "\"}", Map.of())
                        .content())
                .isEqualTo(bytes);
    }
}
