package org.sallyport.tracecontext;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The list that vendors keep of a trace, passed on as it came. */
public final class TraceState {
    /** Characters; the recommendation wants so many to be passed on, and more are not. */
    public static final int MAX_LENGTH = 512;

    private static final int MAX_MEMBERS = 32;
    private static final Pattern KEY =
            Pattern.compile("[a-z0-9][a-z0-9_\\-*/]{0,255}|[a-z0-9][a-z0-9_\\-*/]{0,240}@[a-z][a-z0-9_\\-*/]{0,13}");
    private static final Pattern VALUE =
            Pattern.compile("[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]");

    private TraceState() {}

    /** The list without white space around its members; empty when it is none, too long or has a key twice. */
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

    /** Without the white space that HTTP allows there, and no other. */
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
