package org.sallyport.it.hostile;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One hostile thing to do, and what must come of it.
 *
 * @param id as in the list of hostile input, such as {@code A01}; own ones begin with X
 * @param attack does it; null when it cannot be done yet
 * @param expected what must come of it
 * @param modes where it is contained
 * @param fast whether it belongs to every build
 * @param alone whether nothing else hostile may run beside it, because it computes, or kills its worker
 * @param mentions words that would be a leak, were they not the row's own
 * @param remark why it is absent, or where it is shown instead; empty otherwise
 * @param open a known fault of the service that keeps it from being as expected; empty otherwise
 */
record Row(
        String id,
        String title,
        Optional<Attack> attack,
        Expected expected,
        Set<Mode> modes,
        boolean fast,
        boolean alone,
        List<String> mentions,
        String remark,
        String open) {

    Row {
        modes = Set.copyOf(modes);
        mentions = List.copyOf(mentions);
    }

    /** A row whose feature does not exist yet, or that another test shows. */
    static Row remarked(String id, String title, String remark) {
        return new Row(
                id,
                title,
                Optional.empty(),
                Expected.anything(),
                Set.of(Mode.WORKER),
                true,
                false,
                List.of(),
                remark,
                "");
    }

    /** A row in code that is no script: fast, in both modes. */
    static Row of(String id, String title, Expected expected, Attack attack) {
        return new Row(id, title, Optional.of(attack), expected, Set.of(Mode.values()), true, false, List.of(), "", "");
    }

    /** The same in these modes only. */
    Row in(Mode... only) {
        return new Row(id, title, attack, expected, Set.of(only), fast, alone, mentions, remark, open);
    }

    /** The same, but not in every build. */
    Row slow() {
        return new Row(id, title, attack, expected, modes, false, alone, mentions, remark, open);
    }

    /** The same, with nothing hostile beside it. */
    Row onItsOwn() {
        return new Row(id, title, attack, expected, modes, fast, true, mentions, remark, open);
    }

    /** The same; these words in what it gives back are its own. */
    Row mentioning(String... words) {
        return new Row(id, title, attack, expected, modes, fast, alone, List.of(words), remark, open);
    }

    /** The same; what keeps it from being as expected is known and not mended yet. */
    Row open(String why) {
        return new Row(id, title, attack, expected, modes, fast, alone, mentions, remark, why);
    }
}
