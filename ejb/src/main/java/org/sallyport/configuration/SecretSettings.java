package org.sallyport.configuration;

import java.util.List;

/** Settings of secrets and variables: encryption keys and the maximum numbers. */
public final class SecretSettings {
    public static final Setting<String> ENCRYPTION_KEYS = Setting.secret(
            "sallyport.secrets.keys",
            "Keys that secrets are encrypted with, in Base64 (`openssl rand -base64 32`), comma-separated: the first"
                    + " encrypts, all decrypt. Takes precedence over the file; the same on all nodes.");
    public static final Setting<String> KEY_FILE = Setting.text(
            "sallyport.secrets.key-file",
            "",
            "File with these keys, one a line. Empty: `secrets.key` in the data directory, made at the first start.");

    public static final Setting<Long> MAX_PER_TENANT =
            Setting.number("sallyport.secrets.max-per-tenant", 0, 10_000, 200, "Secrets that one tenant may have.");

    public static final Setting<Long> MAX_VARIABLES_PER_TENANT =
            Setting.number("sallyport.variables.max-per-tenant", 0, 10_000, 200, "Variables that one tenant may have.");

    public static final Setting<Long> MAX_VARIABLES_CHARS = Setting.number(
            "sallyport.variables.max-chars-per-execution",
            1_024,
            1L << 24,
            131_072,
            "Characters that the names and the values of the variables of one execution may have together; a run that"
                    + " needs more is refused.");

    static final List<Setting<?>> ALL =
            List.of(ENCRYPTION_KEYS, KEY_FILE, MAX_PER_TENANT, MAX_VARIABLES_PER_TENANT, MAX_VARIABLES_CHARS);

    private SecretSettings() {}
}
