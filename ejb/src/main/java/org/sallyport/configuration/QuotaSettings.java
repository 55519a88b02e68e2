package org.sallyport.configuration;

import java.util.List;

/** Default quotas of tenants without quotas of their own. {@code sallyport.limits.max-queued} is such a default too. */
public final class QuotaSettings {
    private static final long MAX_VALUE = 1_000_000_000_000_000L;

    public static final Setting<Long> MAX_LIVE_EXECUTIONS = Setting.number(
            "sallyport.quota.live",
            0,
            MAX_VALUE,
            0,
            "Executions of one tenant that have not ended, including parked ones; with more, submissions are answered"
                    + " `429` `quota-exceeded`. 0: no limit.");
    public static final Setting<Long> MAX_TOOL_CALLS_PER_DAY = Setting.number(
            "sallyport.quota.tool-calls",
            0,
            MAX_VALUE,
            0,
            "Tool calls of one tenant in a day (UTC); more are refused with `quota-exceeded`. 0: no limit.");
    public static final Setting<Long> MAX_STORED_BYTES = Setting.number(
            "sallyport.quota.stored-bytes",
            0,
            MAX_VALUE,
            0,
            "Bytes of all artifacts and journals of one tenant; artifacts beyond them fail with `quota-exceeded`. 0: no"
                    + " limit.");

    static final List<Setting<?>> ALL = List.of(MAX_LIVE_EXECUTIONS, MAX_TOOL_CALLS_PER_DAY, MAX_STORED_BYTES);

    private QuotaSettings() {}
}
