package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseIdScannerTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\"result\":{\"id\":\"no\"}}",
                "{\"result\":{\"id\":\"no\",\"x\":[{\"id\":\"no\"}]},\"jsonrpc\":\"2.0\",\"id\":\"a-1\"}",
                " { \"result\" : \"}\\\",\\\"id\\\":\\\"no\\\"\" , \"id\" : \"a-1\" } ",
                "{\"error\":{\"code\":1},\"id\":\"\\u0061-1\"}",
                "{\"id\":\"a-1\",\"id\":\"a-2\"}",
                "{\"id\":\"a-1\",\"result\":{\"content\":[{\"text\":\"cut o",
                "{\"id\":\"a-1\"}{\"method\":\"x\"}",
            })
    void idOfAResponseIsFound(String text) {
        assertThat(ResponseIdScanner.findResponseId(text)).contains("a-1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "Checking 127.0.0.1 {\"id\":\"a-1\"}",
                "\"id\"",
                "42",
                "null",
                "{}",
                "[{\"id\":\"a-1\",\"result\":{}}]",
                "{\"id\":1,\"result\":{}}",
                "{\"id\":null,\"error\":{}}",
                "{\"id\":{\"id\":\"a-1\"},\"result\":{}}",
                "{\"id\":\"a-1\",\"method\":\"ping\"}",
                "{\"method\":\"ping\",\"id\":\"a-1\"}",
                "{\"result\":{\"id\":\"a-1\"}}",
                "{\"id\":\"a-1",
                "}}]]{\"id\":\"a-1\"}",
            })
    void textThatIsNoResponseHasNoId(String text) {
        assertThat(ResponseIdScanner.findResponseId(text)).isEmpty();
    }

    @Test
    void bytesMayArriveInPieces() {
        byte[] text = ("{\"result\":\"" + "ü€😀\\\\".repeat(10_000) + "\",\"" + "n".repeat(100_000)
                        + "\":1,\"id\":\"a-1\"}")
                .getBytes(StandardCharsets.UTF_8);
        for (int size : new int[] {1, 7, 4_096}) {
            ResponseIdScanner scanner = new ResponseIdScanner();
            for (int from = 0; from < text.length; from += size) {
                scanner.write(text, from, Math.min(size, text.length - from));
            }
            assertThat(scanner.responseId()).contains("a-1");
        }
    }

    @Test
    void idThatIsTooLongIsNotKept() {
        assertThat(ResponseIdScanner.findResponseId("{\"id\":\"" + "x".repeat(1_000) + "\",\"result\":{}}"))
                .isEmpty();
    }
}
