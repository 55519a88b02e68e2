package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpSchema.Implementation;
import io.modelcontextprotocol.spec.McpSchema.InitializeResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import java.util.Map;
import org.sallyport.tool.PlainText;

/**
 * Reads the result of a handshake. Only the version of the protocol and whether the server has tools are used. All
 * other members may have any type, and are kept out of the log of the SDK.
 */
final class InitializeResultReader {
    private static final int MAX_VERSION_LENGTH = 100;

    private InitializeResultReader() {}

    static InitializeResult read(Map<?, ?> result) {
        String version = result.get("protocolVersion") instanceof String text
                ? PlainText.singleLine(text, MAX_VERSION_LENGTH)
                : "none";
        ServerCapabilities.Builder capabilities = ServerCapabilities.builder();
        if (hasTools(result)) {
            capabilities.tools(true);
        }
        return new InitializeResult(version, capabilities.build(), new Implementation("", ""), "");
    }

    private static boolean hasTools(Map<?, ?> result) {
        Object tools = result.get("capabilities") instanceof Map<?, ?> members ? members.get("tools") : null;
        return tools != null && !tools.equals(false);
    }
}
