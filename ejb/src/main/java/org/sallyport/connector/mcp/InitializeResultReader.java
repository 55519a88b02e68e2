package org.sallyport.connector.mcp;

import io.modelcontextprotocol.spec.McpSchema.Implementation;
import io.modelcontextprotocol.spec.McpSchema.InitializeResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import java.util.Map;
import org.sallyport.tool.PlainText;

/**
 * Reads the result of a handshake. Only the version of the protocol is used, and whether the server has tools, perhaps
 * with calls as tasks. All other members may have any type, and are kept out of the log of the SDK.
 */
final class InitializeResultReader {
    private static final int MAX_VERSION_LENGTH = 100;
    /** Path of the capability that the types of the SDK do not have; they carry it as an experimental one. */
    private static final String TASK_CALLS = "tasks.requests.tools.call";

    private InitializeResultReader() {}

    static InitializeResult read(Map<?, ?> result) {
        String version = result.get("protocolVersion") instanceof String text
                ? PlainText.singleLine(text, MAX_VERSION_LENGTH)
                : "none";
        ServerCapabilities.Builder capabilities = ServerCapabilities.builder();
        if (hasCapability(result, "tools")) {
            capabilities.tools(true);
        }
        if (hasCapability(result, TASK_CALLS)) {
            capabilities.experimental(Map.of(TASK_CALLS, true));
        }
        return new InitializeResult(version, capabilities.build(), new Implementation("", ""), "");
    }

    private static boolean hasCapability(Map<?, ?> result, String path) {
        Object capability = result.get("capabilities");
        for (String name : path.split("\\.")) {
            capability = capability instanceof Map<?, ?> members ? members.get(name) : null;
        }
        return capability != null && !capability.equals(false);
    }

    /** Whether a server declares that its tools may be called as tasks. Without that, they never are. */
    static boolean hasTaskCalls(ServerCapabilities capabilities) {
        return capabilities.experimental() != null
                && capabilities.experimental().containsKey(TASK_CALLS);
    }
}
