package org.sallyport.it.security;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One attack and its expected result.
 *
 * @param id id in the list of hostile input, such as {@code A01}; ids of additional cases begin with X
 * @param attack runs the attack; empty if it cannot be run here
 * @param expected the expected result
 * @param modes the sandbox modes in which the attack must be contained
 * @param fast whether the case belongs to every build
 * @param exclusive whether no other attack may run at the same time, because this one computes or kills its worker
 * @param allowedWords words that would count as a leak if they did not come from the case itself
 * @param remark why the case is not run, or which test covers it; empty otherwise
 * @param knownIssue a known fault of the service that prevents the expected result; empty otherwise
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

    /** A case whose feature does not exist yet or that another test covers. */
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

    /** A case that Java code runs: fast, in both modes. */
    static AttackCase of(String id, String title, AttackExpectation expected, Attack attack) {
        return new AttackCase(
                id, title, Optional.of(attack), expected, Set.of(SandboxMode.values()), true, false, List.of(), "", "");
    }

    /** A copy that runs only in these modes. */
    AttackCase onlyIn(SandboxMode... only) {
        return new AttackCase(
                id, title, attack, expected, Set.of(only), fast, exclusive, allowedWords, remark, knownIssue);
    }

    /** A copy that does not run in every build, and only in the shipped mode: it computes for seconds. */
    AttackCase asSlow() {
        return new AttackCase(
                id,
                title,
                attack,
                expected,
                Set.of(SandboxMode.WORKER),
                false,
                exclusive,
                allowedWords,
                remark,
                knownIssue);
    }

    /** A copy that runs without concurrent attacks. */
    AttackCase asExclusive() {
        return new AttackCase(id, title, attack, expected, modes, fast, true, allowedWords, remark, knownIssue);
    }

    /** A copy in whose output these words are not a leak. */
    AttackCase withAllowedWords(String... words) {
        return new AttackCase(id, title, attack, expected, modes, fast, exclusive, List.of(words), remark, knownIssue);
    }

    /** A copy with a known fault that is not fixed yet. */
    AttackCase knownIssue(String why) {
        return new AttackCase(id, title, attack, expected, modes, fast, exclusive, allowedWords, remark, why);
    }
}
