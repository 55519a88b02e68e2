package org.sallyport.store.jpa;

import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A prefix of an execution id, as a range of ids.
 *
 * @param first the lowest id with the prefix
 * @param last the highest id with the prefix
 */
record IdPrefix(UUID first, UUID last) {
    private static final String ZERO_ID = "00000000-0000-0000-0000-000000000000";
    private static final Pattern DIGITS = Pattern.compile("[0-9a-f]{8}[0-9a-f-]{0,28}");

    /**
     * Parses eight or more hexadecimal digits, with hyphens where an id has them. Ignores case and surrounding white
     * space. Empty for any other text.
     */
    static Optional<IdPrefix> of(String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        if (!DIGITS.matcher(lower).matches() || !hyphensInPlace(lower)) {
            return Optional.empty();
        }
        String rest = ZERO_ID.substring(lower.length());
        return Optional.of(
                new IdPrefix(UUID.fromString(lower + rest), UUID.fromString(lower + rest.replace('0', 'f'))));
    }

    private static boolean hyphensInPlace(String text) {
        for (int i = 0; i < text.length(); i++) {
            if ((text.charAt(i) == '-') != (ZERO_ID.charAt(i) == '-')) {
                return false;
            }
        }
        return true;
    }
}
