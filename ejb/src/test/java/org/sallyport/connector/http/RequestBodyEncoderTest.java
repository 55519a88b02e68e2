package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
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
            return ExactJsonMapper.INSTANCE.readTree(text);
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
    void loneSurrogateStaysAnEscapeInJsonAndIsReplacedInTexts() {
        assertThat(text(encode("application/json", "\"\\ud800\"", Map.of()))).isEqualTo("\"\\ud800\"");
        assertThat(text(encode("text/plain", "\"a\\ud800b\"", Map.of()))).isEqualTo("a\ufffdb");
    }

    @Test
    void rangeOfMediaTypesTakesTheTypeOfTheFile() {
        assertThat(encode("image/*", "{\"$base64\":\"AA==\",\"type\":\"image/gif\"}", Map.of())
                        .contentType())
                .isEqualTo("image/gif");
        assertThat(encode("image/*", "{\"$base64\":\"AA==\",\"type\":\"Uint8Array\"}", Map.of())
                        .contentType())
                .isEqualTo("application/octet-stream");
        assertThat(encode("*/*", "{}", Map.of()).contentType()).isEqualTo("application/json");
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
