package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.web.ProblemException;

class BatchFingerprintTest {
    private static final int MAX_ITEM_BYTES = 60;
    private static final BatchBodyLimits LIMITS =
            new BatchBodyLimits(MAX_ITEM_BYTES, 3, Set.of("items", "atomic", "tags"));

    @TempDir
    Path directory;

    /** @param text a body; {@code ~} ends a line */
    private String fingerprint(BatchFormat format, String text) {
        byte[] bytes = text.replace("~", "\r\n").getBytes(StandardCharsets.UTF_8);
        try (SpooledBody body = SpooledBodyTest.spool(new ByteArrayInputStream(bytes), directory)) {
            return BatchFingerprint.of(format, body, LIMITS, memory -> {});
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            JSON  | [{"code":"1","args":{"a":1,"b":2}}]  | [ {"args":{"b":2.0,"a":1}, "code":"\\u0031"} ]
            JSON  | {"items":[{"code":"1"}],"atomic":true} | {"atomic":true,"items":[{"code":"1"}]}
            JSON  | {"tags":[1,{"a":0.50}],"items":[]}   | {"items":[],"tags":[1.0,{"a":5e-1}]}
            JSON  | [{"code":1},{"a":1,"a":2}]           | [ {"code":1.0}, {"a":1,"a":2}]
            LINES | {"a":1,"b":2}~7~                     | ~{"b":2,"a":1}~~ 7.0
            LINES | {"a":1,"b":2}~{~7                    | \ufeff{"b":2.0,"a":1}~{~7.0~
            ROWS  | [1,{"a":1,"b":2}]~                   | [1,{"b":2,"a":1}]~
            """)
    void sameValuesHaveTheSameFingerprint(BatchFormat format, String one, String other) {
        assertThat(fingerprint(format, one)).isEqualTo(fingerprint(format, other));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            JSON  | [{"code":"1"},{"code":"2"}]            | [{"code":"2"},{"code":"1"}]
            JSON  | [{"code":"1"}]                         | {"items":[{"code":"1"}]}
            JSON  | {"items":[{"code":"1"}],"atomic":true} | {"items":[{"code":"1"}],"atomic":false}
            JSON  | {"items":[{"code":"1"}],"tags":[1]}    | {"items":[{"code":"1"}],"tags":[2]}
            JSON  | {"items":[{"code":"1"}],"tags":0.25}   | {"items":[{"code":"1"}],"tags":0.75}
            JSON  | [7]                                    | [8]
            JSON  | [{"a":1,"a":2}]                        | [{"a":1,"a":3}]
            LINES | 7~8                                    | 8~7
            LINES | 7~{                                    | 7~}
            LINES | 1~2~3~4                                | 1~2~3~5
            CSV   | a,b~1,2                                | a,b~1,3
            """)
    void otherValuesHaveAnotherFingerprint(BatchFormat format, String one, String other) {
        assertThat(fingerprint(format, one)).isNotEqualTo(fingerprint(format, other));
    }

    /** A line of a batch ends with LF or CR LF, also one that is not JSON. */
    @Test
    void lineEndsDoNotCount() {
        assertThat(fingerprint(BatchFormat.LINES, "{\n7\n{")).isEqualTo(fingerprint(BatchFormat.LINES, "{~7~{~"));
    }

    @Test
    void itemThatIsTooLargeIsComparedByItsBytes() {
        String large = "{\"code\":\"" + "x".repeat(MAX_ITEM_BYTES) + "\"}";

        assertThat(fingerprint(BatchFormat.LINES, large)).isEqualTo(fingerprint(BatchFormat.LINES, large));
        assertThat(fingerprint(BatchFormat.LINES, large)).isNotEqualTo(fingerprint(BatchFormat.LINES, large + " "));
    }

    @Test
    void bodyThatIsNotJsonIsRefused() {
        assertThatThrownBy(() -> fingerprint(BatchFormat.JSON, "{\"items\":[")).isInstanceOf(ProblemException.class);
    }
}
