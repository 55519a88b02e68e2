package org.sallyport.configuration;

import java.util.List;

/** What one tenant may take up that has nothing of its own set; {@code sallyport.limits.queued} is one of these too. */
public final class QuotaSettings {
    private static final long MOST = 1_000_000_000_000_000L;

    public static final Setting<Long> LIVE = Setting.number(
            "sallyport.quota.live",
            0,
            MOST,
            0,
            "Executions of one tenant that have not ended, those that are parked too; with more, submissions are answered `429`"
                    + " `quota-exceeded`. 0 for as many as come.");
    public static final Setting<Long> TOOL_CALLS = Setting.number(
            "sallyport.quota.tool-calls",
            0,
            MOST,
            0,
            "Tool calls of one tenant in a day (UTC); more are refused with `quota-exceeded`. 0 for as many as come.");
    public static final Setting<Long> STORED_BYTES = Setting.number(
            "sallyport.quota.stored-bytes",
            0,
            MOST,
            0,
            "Bytes of all artifacts of one tenant; scripts that would keep more hear `quota-exceeded`. 0 for as many as come.");

    static final List<Setting<?>> ALL = List.of(LIVE, TOOL_CALLS, STORED_BYTES);

    private QuotaSettings() {}
}
