package org.sallyport.secrets;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Metadata of a secret, without its value.
 *
 * @param tenant tenant of the secret
 * @param name name in secret references; see {@link #isValidName}
 * @param version 1, incremented with each new value
 * @param created when, and by whom, it was created
 * @param changed when, and by whom, its current value was set
 * @param used when, and by which backend, it was last used
 */
public record Secret(
        String tenant,
        String name,
        int version,
        SecretActivity created,
        SecretActivity changed,
        Optional<SecretActivity> used) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]{0,63}");

    /** Time and actor of an activity. */
    public record SecretActivity(Instant at, String by) {}

    /**
     * Identifies the value. A secret that was deleted and created again starts with version 1 again, so the version
     * alone is not sufficient.
     */
    public String versionStamp() {
        return version + "@" + changed.at();
    }

    /** Returns whether {@code text} is a valid name: a letter, then at most 63 letters, digits, '_', '.' or '-'. */
    public static boolean isValidName(String text) {
        return NAME.matcher(text).matches();
    }
}
