package org.sallyport.configuration;

import java.util.List;

/** Limits of inbound webhooks. */
public final class WebhookSettings {
    public static final Setting<Long> MAX_PER_TENANT = Setting.number(
            "sallyport.webhooks.max-per-tenant", 0, 10_000, 100, "Inbound webhooks that one tenant may have.");
    public static final Setting<Long> MAX_BODY_BYTES = Setting.number(
            "sallyport.webhooks.max-body-bytes",
            1_024,
            4L << 20,
            256L << 10,
            "Largest body of a delivery to an inbound webhook, in bytes.");
    public static final Setting<Long> MAX_PER_SECOND = Setting.number(
            "sallyport.webhooks.max-per-second",
            0,
            100_000,
            20,
            "Deliveries to one inbound webhook in a second on one node, on average; more are answered `429`. If"
                    + " it requires signatures, only signed deliveries count, and one source may send ten times as many"
                    + " requests. 0: no limit.");

    static final List<Setting<?>> ALL = List.of(MAX_PER_TENANT, MAX_BODY_BYTES, MAX_PER_SECOND);

    private WebhookSettings() {}
}
