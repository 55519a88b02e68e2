package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class McpMessageReaderTest {
    private static final String NOTIFICATION = "{\"jsonrpc\":\"2.0\",\"method\":\"m\"}";

    @Test
    void kindsOfMessagesAreDistinguished() throws IOException {
        assertThat(McpMessageReader.read(NOTIFICATION)).containsExactly(new JSONRPCNotification("m"));
        assertThat(McpMessageReader.read("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":null}"))
                .hasOnlyElementsOfType(JSONRPCNotification.class);
        assertThat(McpMessageReader.read("\uFEFF {\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":7}\r"))
                .hasOnlyElementsOfType(JSONRPCRequest.class);
        assertThat(McpMessageReader.read("{\"id\":\"a\",\"result\":{\"x\":[1.0]}}"))
                .singleElement()
                .isInstanceOfSatisfying(JSONRPCResponse.class, response -> {
                    assertThat(response.id()).isEqualTo("a");
                    assertThat(McpJson.toJson(response.result()).text()).isEqualTo("{\"x\":[1.0]}");
                });
        assertThat(McpMessageReader.read("{\"id\":\"a\",\"result\":null,\"error\":null}"))
                .containsExactly(JSONRPCResponse.result("a", Map.of()));
    }

    @Test
    void messagesOfABatchAreReadOneByOne() throws IOException {
        assertThat(McpMessageReader.read(
                        " [7, {}, " + NOTIFICATION + ", null, {\"id\":{},\"result\":1}, " + NOTIFICATION + "]"))
                .containsExactly(new JSONRPCNotification("m"), new JSONRPCNotification("m"));
        List<String> allowed = Collections.nCopies(McpMessageReader.MAX_BATCH_SIZE, NOTIFICATION);
        assertThat(McpMessageReader.read(allowed.toString())).hasSize(McpMessageReader.MAX_BATCH_SIZE);
        List<String> tooMany = Collections.nCopies(McpMessageReader.MAX_BATCH_SIZE + 1, NOTIFICATION);
        assertThatThrownBy(() -> McpMessageReader.read(tooMany.toString()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "null", "42", "\"text\"", "{}", "[]", "[{}]", "{\"result\":1}", "[info] call 1"})
    void lineThatIsNoMessageIsRefused(String line) {
        assertThatThrownBy(() -> McpMessageReader.read(line))
                .isInstanceOfAny(IOException.class, IllegalArgumentException.class);
    }
}
