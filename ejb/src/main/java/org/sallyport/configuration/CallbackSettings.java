package org.sallyport.configuration;

import java.time.Duration;
import java.util.List;

/** Settings of callbacks for finished executions: permitted receivers and retries. */
public final class CallbackSettings {
    private static final long MINUTE = 60_000;

    public static final Setting<List<String>> ALLOWED_HOSTS = Setting.list(
            "sallyport.callbacks.allowed-hosts",
            "",
            "Hosts that callbacks may go to: names, `*.domain` for all below a domain, or `*` for any. Empty: none, "
                    + "and a"
                    + " submission with `callback` is refused.");
    public static final Setting<Boolean> ALLOW_PRIVATE_ADDRESSES = Setting.flag(
            "sallyport.callbacks.allow-private-addresses",
            false,
            "Whether callbacks may go to addresses that are not public, such as those of the own network.");
    public static final Setting<String> SIGNING_KEY = Setting.secret(
            "sallyport.callbacks.key",
            "Key that the signing secrets of tenants are derived with, at least 32 characters and the same on all "
                    + "nodes. Empty: made"
                    + " at the first start and kept in `callbacks.key` of the data directory.");
    public static final Setting<Duration> ATTEMPT_TIMEOUT = Setting.millis(
            "sallyport.callbacks.timeout-millis",
            100,
            MINUTE,
            10_000,
            "How long one attempt of a callback may take in all.");
    public static final Setting<Duration> INITIAL_RETRY_DELAY = Setting.millis(
            "sallyport.callbacks.retry-millis",
            100,
            60 * MINUTE,
            5_000,
            "How long a failed callback waits for its second attempt; each further wait is twice as long, up to six"
                    + " hours, minus a random part of up to half.");
    public static final Setting<Long> MAX_ATTEMPTS =
            Setting.number("sallyport.callbacks.attempts", 1, 100, 15, "Attempts after which a callback is given up.");
    public static final Setting<Duration> GIVE_UP_AFTER = Setting.millis(
            "sallyport.callbacks.give-up-after-millis",
            1_000,
            30L * 24 * 60 * MINUTE,
            3L * 24 * 60 * MINUTE,
            "How long after its due time a callback is given up, even with attempts left.");
    public static final Setting<Long> MAX_CONCURRENT = Setting.number(
            "sallyport.callbacks.max-concurrent",
            1,
            1_000,
            16,
            "Callbacks that a node sends at one time; half of them to one tenant's receivers, a quarter to one host.");
    public static final Setting<Long> MAX_RESULT_BYTES = Setting.number(
            "sallyport.callbacks.result-bytes",
            0,
            10L << 20,
            256L << 10,
            "Largest result that a callback carries; a larger one is left out, and `resultOmitted` says so.");

    static final List<Setting<?>> ALL = List.of(
            ALLOWED_HOSTS,
            ALLOW_PRIVATE_ADDRESSES,
            SIGNING_KEY,
            ATTEMPT_TIMEOUT,
            INITIAL_RETRY_DELAY,
            MAX_ATTEMPTS,
            GIVE_UP_AFTER,
            MAX_CONCURRENT,
            MAX_RESULT_BYTES);

    private CallbackSettings() {}
}
