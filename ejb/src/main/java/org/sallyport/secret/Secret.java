package org.sallyport.secret;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What may be known of a secret: all but its value.
 *
 * @param tenant whose it is
 * @param name what references call it; see {@link #isValidName}
 * @param version 1, and one more each time it gets another value
 * @param created when, and by whom, it was first stored
 * @param changed when, and by whom, it got the value that it has
 * @param used when it was last given to a backend, and to which
 */
public record Secret(
        String tenant,
        String name,
        int version,
        SecretActivity created,
        SecretActivity changed,
        Optional<SecretActivity> used) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]{0,63}");

    /** When something was done, and by whom or what. */
    public record SecretActivity(Instant at, String by) {}

    /** Of its value: one that was deleted and made again begins with version 1 again. */
    public String versionStamp() {
        return version + "@" + changed.at();
    }

    /** Whether a secret may have that name: a letter, then at most 63 letters, digits, '_', '.' or '-'. */
    public static boolean isValidName(String text) {
        return NAME.matcher(text).matches();
    }
}
