package org.sallyport.configuration;

import java.util.List;

/** Settings of events that callers emit and follow. */
public final class EventSettings {
    public static final Setting<Long> MAX_BODY_BYTES = Setting.number(
            "sallyport.events.max-body-bytes",
            1_024,
            4L << 20,
            256L << 10,
            "Largest body of `POST /events`, in bytes: name and payload.");
    public static final Setting<Long> MAX_PER_SECOND = Setting.number(
            "sallyport.events.max-per-second",
            0,
            100_000,
            50,
            "Events that the callers of one tenant may emit in a second on one node, on average; more are answered"
                    + " `429`. 0: no limit.");
    public static final Setting<Long> MAX_UNREAD = Setting.number(
            "sallyport.events.max-unread",
            1,
            1_000_000_000,
            10_000,
            "New events of the tenant that a subscriber of `GET /events` may leave unread; with more, its stream"
                    + " ends.");

    static final List<Setting<?>> ALL = List.of(MAX_BODY_BYTES, MAX_PER_SECOND, MAX_UNREAD);

    private EventSettings() {}
}
