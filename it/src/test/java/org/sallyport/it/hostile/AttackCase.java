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
 * @param exclusive whether nothing else hostile may run beside it, because it computes, or kills its worker
 * @param allowedWords words that would be a leak, were they not the row's own
 * @param remark why it is absent, or where it is shown instead; empty otherwise
 * @param knownIssue a known fault of the service that keeps it from being as expected; empty otherwise
 */
record AttackCase(
        String id,
        String title,
        Optional<Attack> attack,
        AttackExpectation expected,
        Set<SandboxMode> modes,
        boolean fast,
        boolean exclusive,
        List<String> allowedWords,
        String remark,
        String knownIssue) {

    AttackCase {
        modes = Set.copyOf(modes);
        allowedWords = List.copyOf(allowedWords);
    }

    /** A row whose feature does not exist yet, or that another test shows. */
    static AttackCase documentedOnly(String id, String title, String remark) {
        return new AttackCase(
                id,
                title,
                Optional.empty(),
                AttackExpectation.anything(),
                Set.of(SandboxMode.WORKER),
                true,
                false,
                List.of(),
                remark,
                "");
    }

    /** A row in code that is no script: fast, in both modes. */
    static AttackCase of(String id, String title, AttackExpectation expected, Attack attack) {
        return new AttackCase(
                id, title, Optional.of(attack), expected, Set.of(SandboxMode.values()), true, false, List.of(), "", "");
    }

    /** The same in these modes only. */
    AttackCase onlyIn(SandboxMode... only) {
        return new AttackCase(
                id, title, attack, expected, Set.of(only), fast, exclusive, allowedWords, remark, knownIssue);
    }

    /** The same, but not in every build. */
    AttackCase asSlow() {
        return new AttackCase(id, title, attack, expected, modes, false, exclusive, allowedWords, remark, knownIssue);
    }

    /** The same, with nothing hostile beside it. */
    AttackCase asExclusive() {
        return new AttackCase(id, title, attack, expected, modes, fast, true, allowedWords, remark, knownIssue);
    }

    /** The same; these words in what it gives back are its own. */
    AttackCase withAllowedWords(String... words) {
        return new AttackCase(id, title, attack, expected, modes, fast, exclusive, List.of(words), remark, knownIssue);
    }

    /** The same; what keeps it from being as expected is known and not mended yet. */
    AttackCase knownIssue(String why) {
        return new AttackCase(id, title, attack, expected, modes, fast, exclusive, allowedWords, remark, why);
    }
}
