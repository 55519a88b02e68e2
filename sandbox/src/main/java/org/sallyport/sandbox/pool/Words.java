package org.sallyport.sandbox.pool;

import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.SessionEnd;

/** Bounds texts that a worker sends and no limit of the session bounds: nobody reads more of them. */
final class Words {
    static final int NAME = 500;
    private static final int MESSAGE = 20_000;

    private Words() {}

    static SessionEnd bounded(SessionEnd end) {
        if (end instanceof SessionEnd.Threw threw) {
            String tool = threw.tool();
            return new SessionEnd.Threw(
                    cut(threw.code(), NAME),
                    cut(threw.message(), MESSAGE),
                    threw.line(),
                    threw.column(),
                    cut(threw.stack(), MESSAGE),
                    tool == null ? null : cut(tool, NAME),
                    threw.call());
        } else if (end instanceof SessionEnd.LimitReached reached) {
            return new SessionEnd.LimitReached(reached.limit(), cut(reached.message(), MESSAGE));
        }
        return end;
    }

    static Preparation bounded(Preparation verdict) {
        if (verdict instanceof Preparation.Rejected rejected) {
            return new Preparation.Rejected(
                    cut(rejected.message(), MESSAGE),
                    rejected.line(),
                    rejected.column(),
                    cut(rejected.codeFrame(), MESSAGE));
        }
        return verdict;
    }

    /** The text itself, or as many whole characters of it as fit into {@code most} UTF-16 units. */
    static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        boolean splits =
                Character.isHighSurrogate(text.charAt(most - 1)) && Character.isLowSurrogate(text.charAt(most));
        return text.substring(0, splits ? most - 1 : most);
    }
}
