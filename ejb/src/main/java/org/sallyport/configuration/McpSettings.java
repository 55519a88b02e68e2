package org.sallyport.configuration;

import java.time.Duration;
import java.util.List;

/** Settings of the MCP endpoint for agents. */
public final class McpSettings {
    private static final long MINUTE = 60_000;

    public static final Setting<Long> MAX_SESSIONS_PER_TENANT = Setting.number(
            "sallyport.mcp.sessions",
            1,
            10_000,
            200,
            "Sessions of MCP clients that one tenant may have on one node. A new one replaces the one that was idle"
                    + " longest.");
    public static final Setting<Duration> SESSION_IDLE_TIMEOUT = Setting.millis(
            "sallyport.mcp.idle-millis",
            1_000,
            24 * 60 * MINUTE,
            30 * MINUTE,
            "How long an idle session of an MCP client is kept.");
    public static final Setting<List<String>> ALLOWED_ORIGINS = Setting.list(
            "sallyport.mcp.origins",
            "",
            "Origins of web pages, such as `https://agents.example`, that may call `/mcp`. Requests that do not come"
                    + " from a web page need none.");

    static final List<Setting<?>> ALL = List.of(MAX_SESSIONS_PER_TENANT, SESSION_IDLE_TIMEOUT, ALLOWED_ORIGINS);

    private McpSettings() {}
}
