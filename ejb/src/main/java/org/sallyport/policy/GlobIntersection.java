package org.sallyport.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Computes globs for the names that two lists of globs both match: {@code a*} and {@code *b} intersect in {@code a*b}.
 * The input is untrusted and the intersection can grow exponentially. Therefore the number of steps and globs is
 * bounded, and the rest is omitted. Confined to one thread.
 */
final class GlobIntersection {
    /** Maximum number of globs of a grant. */
    private static final int MAX_GLOBS = 1_000;

    /**
     * Maximum number of steps for two lists, some tens of milliseconds. A thousand names and a thousand globs of usual
     * lengths need fewer.
     */
    private static final long MAX_STEPS = 8_000_000;

    /** Maximum number of steps for two globs; more than globs need that are not made to take long. */
    private static final long MAX_STEPS_PER_PAIR = 80_000;

    private static final int MAX_GLOBS_PER_PAIR = 64;

    /** Cost of an intersection step in matching steps. */
    private static final int STEP_COST = 4;

    /** Number of characters that are compared in the time of one step. */
    private static final int CHARS_PER_STEP = 8;

    private long remainingSteps = MAX_STEPS;
    private long minRemainingSteps;
    private final Set<String> result;

    private GlobIntersection(Set<String> both) {
        this.result = both;
    }

    /** Intersects two lists. Exact for globs in both lists. Handles short globs first, because they cost least. */
    static List<String> intersect(List<String> some, List<String> others) {
        Set<String> common = new LinkedHashSet<>(some);
        common.retainAll(new HashSet<>(others));
        // A glob of both lists already covers its intersections.
        List<String> ones = without(some, common);
        List<String> rest = without(others, common);
        GlobIntersection crossing = new GlobIntersection(common);
        ones = crossing.withoutCovered(ones, rest);
        rest = crossing.withoutCovered(rest, ones);
        crossing.intersectPairs(withStars(ones), withStars(rest));
        return List.copyOf(crossing.result);
    }

    private static List<String> without(List<String> globs, Set<String> common) {
        Set<String> rest = new LinkedHashSet<>(globs);
        rest.removeIf(common::contains);
        return List.copyOf(rest);
    }

    private static List<String> withStars(List<String> globs) {
        return globs.stream().filter(glob -> glob.indexOf('*') >= 0).toList();
    }

    /** Adds the globs that a glob of {@code others} covers and returns the rest. */
    private List<String> withoutCovered(List<String> globs, List<String> others) {
        List<String> shortestFirst = withStars(others).stream()
                .sorted(Comparator.comparingInt(String::length))
                .toList();
        List<String> rest = new ArrayList<>();
        for (String glob : globs) {
            if (remainingSteps > 0 && shortestFirst.stream().anyMatch(other -> covers(other, glob))) {
                add(glob);
            } else {
                rest.add(glob);
            }
        }
        return rest;
    }

    private void add(String glob) {
        if (result.size() < MAX_GLOBS) {
            result.add(glob);
        }
    }

    /**
     * Returns whether a glob with a star covers everything that {@code name} matches. False also when no steps are
     * left.
     */
    private boolean covers(String glob, String name) {
        if (remainingSteps <= 0 || !prefixesMatch(glob, name, glob.indexOf('*'))) {
            return false;
        }
        long steps = ToolGrants.matchSteps(glob, name);
        remainingSteps -= steps < 0 ? ~steps : steps;
        return steps >= 0;
    }

    /** A fast check, because most globs already differ in their prefix. */
    private boolean prefixesMatch(String a, String b, int length) {
        remainingSteps -= 1 + length / CHARS_PER_STEP;
        return a.regionMatches(0, b, 0, length);
    }

    private void intersectPairs(List<String> some, List<String> others) {
        for (String one : some) {
            for (String other : others) {
                if (remainingSteps <= 0 || result.size() >= MAX_GLOBS) {
                    return;
                }
                if (prefixesMatch(one, other, Math.min(one.indexOf('*'), other.indexOf('*')))) {
                    intersectPair(one, other).forEach(this::add);
                }
            }
        }
    }

    private Set<String> intersectPair(String one, String other) {
        Set<String> found = new LinkedHashSet<>();
        minRemainingSteps = Math.max(0, remainingSteps - MAX_STEPS_PER_PAIR);
        return extend(one, 0, other, 0, new StringBuilder(), found) ? widestOnly(found) : Set.of();
    }

    /**
     * Adds each glob that begins with {@code begun} and continues with the intersection of the two rests.
     *
     * @return false when that takes too many steps
     */
    private boolean extend(String a, int i, String b, int j, StringBuilder begun, Set<String> found) {
        remainingSteps -= STEP_COST;
        if (remainingSteps < minRemainingSteps || found.size() > MAX_GLOBS_PER_PAIR) {
            return false;
        }
        if (i == a.length() && j == b.length()) {
            found.add(begun.toString());
            return true;
        }
        boolean starOfA = i < a.length() && a.charAt(i) == '*';
        boolean starOfB = j < b.length() && b.charAt(j) == '*';
        int length = begun.length();
        boolean whole = true;
        if (starOfA && starOfB) {
            // One of the stars ends first and the other continues.
            begun.append('*');
            whole = extend(a, i + 1, b, j, begun, found);
            begun.setLength(length + 1);
            whole = whole && extend(a, i, b, j + 1, begun, found);
        } else if (starOfA) {
            whole = extend(a, i + 1, b, j, begun, found);
            begun.setLength(length);
            whole = whole && (j == b.length() || extend(a, i, b, j + 1, begun.append(b.charAt(j)), found));
        } else if (starOfB) {
            whole = extend(a, i, b, j + 1, begun, found);
            begun.setLength(length);
            whole = whole && (i == a.length() || extend(a, i + 1, b, j, begun.append(a.charAt(i)), found));
        } else if (i < a.length() && j < b.length() && a.charAt(i) == b.charAt(j)) {
            whole = extend(a, i + 1, b, j + 1, begun.append(a.charAt(i)), found);
        }
        begun.setLength(length);
        return whole;
    }

    /** Returns the globs without those that another glob covers. */
    private Set<String> widestOnly(Set<String> globs) {
        List<String> wide = new ArrayList<>(globs);
        wide.removeIf(glob ->
                globs.stream().anyMatch(other -> !other.equals(glob) && covers(other, glob) && !covers(glob, other)));
        return new LinkedHashSet<>(wide);
    }
}
