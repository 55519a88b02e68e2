package org.sallyport.tracecontext;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The {@code tracestate} list of vendor data, passed on unchanged. */
public final class TraceState {
    /**
     * Maximum number of characters. The recommendation requires that at least as many are passed on; longer lists are
     * not.
     */
    public static final int MAX_LENGTH = 512;

    private static final int MAX_MEMBERS = 32;
    private static final Pattern KEY =
            Pattern.compile("[a-z0-9][a-z0-9_\\-*/]{0,255}|[a-z0-9][a-z0-9_\\-*/]{0,240}@[a-z][a-z0-9_\\-*/]{0,13}");
    private static final Pattern VALUE =
            Pattern.compile("[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]");

    private TraceState() {}

    /**
     * Returns the list without white space around its members. Empty when it is invalid, too long or has a duplicate
     * key.
     */
    static String normalize(@Nullable String text) {
        if (text == null || text.length() > MAX_LENGTH) {
            return "";
        }
        StringBuilder state = new StringBuilder();
        Set<String> keys = new HashSet<>();
        for (String each : text.split(",", -1)) {
            String member = trimmed(each);
            if (member.isEmpty()) {
                continue;
            }
            int equals = member.indexOf('=');
            if (equals < 0
                    || !KEY.matcher(member.substring(0, equals)).matches()
                    || !VALUE.matcher(member.substring(equals + 1)).matches()
                    || !keys.add(member.substring(0, equals))
                    || keys.size() > MAX_MEMBERS) {
                return "";
            }
            state.append(state.length() == 0 ? "" : ",").append(member);
        }
        return state.toString();
    }

    /** Removes only the white space that HTTP allows there. */
    private static String trimmed(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isBlank(text.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
