package org.sallyport.variable;

import java.time.Instant;
import java.util.regex.Pattern;

/**
 * A variable that an administrator of a tenant has set.
 *
 * @param tenant tenant of the variable
 * @param name name; see {@link #isValidName}
 * @param source its value, or the secret that holds its value
 * @param version 1, incremented with each change
 * @param changedAt time of the last change
 * @param changedBy id of the caller that made the last change
 */
public record TenantVariable(
        String tenant, String name, ValueSource source, int version, Instant changedAt, String changedBy) {
    /** Maximum length of a name. */
    public static final int MAX_NAME_LENGTH = 200;
    /** Maximum length of a plain value. */
    public static final int MAX_VALUE_LENGTH = 16_384;

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Where the value of a variable is. */
    public sealed interface ValueSource {
        /** The variable holds the value itself, which administrators can read. */
        record PlainValue(String text) implements ValueSource {}

        /** The value is the value of a secret of the tenant; the variable holds only the name of the secret. */
        record SecretValue(String secret) implements ValueSource {}
    }

    /**
     * Returns whether {@code text} is a valid name: a letter or '_', then letters, digits or '_'; at most
     * {@value #MAX_NAME_LENGTH} characters.
     */
    public static boolean isValidName(String text) {
        return text.length() <= MAX_NAME_LENGTH && NAME.matcher(text).matches();
    }

    /**
     * Identifies the value. A variable that was deleted and set again starts with version 1 again, so the version alone
     * is not sufficient.
     */
    public String versionStamp() {
        return version + "@" + changedAt;
    }
}
