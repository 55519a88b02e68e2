package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolResult;

class McpNumberTest {
    private static final String NUMBERS =
            "{\"id\":725653563933458432,\"price\":0.1234567890123456789,\"list\":[9007199254740993,12345678901234567.10]}";

    @Test
    void structuredContentKeepsTheDigitsOfNumbers() throws IOException {
        String answer = "{\"content\":[],\"structuredContent\":" + NUMBERS + "}";
        McpSchema.CallToolResult read = McpJson.SDK_MAPPER.readValue(answer, McpSchema.CallToolResult.class);
        assertThat(McpResultMapper.toToolResult("find", read)).isEqualTo(ToolResult.success(new Json(NUMBERS)));
        // The SDK reads a message as maps first.
        McpSchema.CallToolResult converted = McpJson.SDK_MAPPER.convertValue(
                McpJson.SDK_MAPPER.readValue(answer, Map.class), McpSchema.CallToolResult.class);
        assertThat(McpResultMapper.toToolResult("find", converted)).isEqualTo(ToolResult.success(new Json(NUMBERS)));
    }

    @Test
    void argumentsKeepTheDigitsOfNumbers() throws IOException {
        assertThat(McpJson.SDK_MAPPER.writeValueAsString(McpJson.toMap(new Json(NUMBERS))))
                .isEqualTo(NUMBERS);
    }
}
