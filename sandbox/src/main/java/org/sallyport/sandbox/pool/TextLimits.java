package org.sallyport.sandbox.pool;

import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptErrorCodes;
import org.sallyport.sandbox.SessionResult;

/**
 * Truncates texts from a worker that no session limit bounds. Longer texts have no use for readers. Replaces the codes
 * with which no script may end.
 */
final class TextLimits {
    static final int MAX_NAME_LENGTH = 500;
    private static final int MAX_MESSAGE_LENGTH = 20_000;

    private TextLimits() {}

    static SessionResult truncateTexts(SessionResult end) {
        if (end instanceof SessionResult.ScriptThrew threw) {
            String tool = threw.tool();
            return new SessionResult.ScriptThrew(
                    ScriptErrorCodes.orScriptError(threw.code()),
                    shorten(threw.message()),
                    threw.line(),
                    threw.column(),
                    shorten(threw.stack()),
                    tool == null ? null : truncate(tool, MAX_NAME_LENGTH),
                    threw.call());
        } else if (end instanceof SessionResult.SessionLimitReached reached) {
            return new SessionResult.SessionLimitReached(reached.limit(), shorten(reached.message()));
        }
        return end;
    }

    static ScriptCheckResult truncateTexts(ScriptCheckResult verdict) {
        if (verdict instanceof ScriptCheckResult.ScriptRejected rejected) {
            return new ScriptCheckResult.ScriptRejected(
                    shorten(rejected.message()), rejected.line(), rejected.column(), shorten(rejected.codeFrame()));
        }
        return verdict;
    }

    /** A redactor also finds the beginning of a secret before the ellipsis. */
    private static String shorten(String text) {
        return text.length() <= MAX_MESSAGE_LENGTH ? text : truncate(text, MAX_MESSAGE_LENGTH) + "…";
    }

    /** Returns the text itself, or as many whole characters of it as fit into {@code maxLength} UTF-16 units. */
    static String truncate(String text, int maxLength) {
        if (text.length() <= maxLength) {
            return text;
        }
        boolean splits = Character.isHighSurrogate(text.charAt(maxLength - 1))
                && Character.isLowSurrogate(text.charAt(maxLength));
        return text.substring(0, splits ? maxLength - 1 : maxLength);
    }
}
