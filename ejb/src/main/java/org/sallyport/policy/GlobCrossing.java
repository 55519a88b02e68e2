package org.sallyport.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Globs of what two lists of globs name both: {@code a*} and {@code *b} cross in {@code a*b}. They come from strangers, and the
 * ways in which two cross can grow as fast as powers of two: what would take too long or become too much is left out. Used
 * by one thread.
 */
final class GlobCrossing {
    /** As many as may be asked for. */
    private static final int MOST = 1_000;

    /** Steps for two lists, some tens of milliseconds. A thousand names beside a thousand globs of usual lengths take fewer. */
    private static final long MOST_STEPS = 8_000_000;

    /** Steps for two globs that are not made to take long, and then some. */
    private static final long MOST_STEPS_OF_TWO = 80_000;

    private static final int MOST_OF_TWO = 64;

    /** A step of crossing takes as long as some of matching. */
    private static final int COST_OF_CROSSING = 4;

    /** Letters that are compared as fast as one step. */
    private static final int LETTERS = 8;

    private long left = MOST_STEPS;
    private long last;
    private final Set<String> both;

    private GlobCrossing(Set<String> both) {
        this.both = both;
    }

    /** For two lists: exact for what is in both, and first of all for what a short glob names, which costs least. */
    static List<String> all(List<String> some, List<String> others) {
        Set<String> common = new LinkedHashSet<>(some);
        common.retainAll(new HashSet<>(others));
        // What crosses with a glob of both is named by that glob.
        List<String> ones = without(some, common);
        List<String> rest = without(others, common);
        GlobCrossing crossing = new GlobCrossing(common);
        ones = crossing.notNamed(ones, rest);
        rest = crossing.notNamed(rest, ones);
        crossing.cross(withStars(ones), withStars(rest));
        return List.copyOf(crossing.both);
    }

    private static List<String> without(List<String> globs, Set<String> common) {
        Set<String> rest = new LinkedHashSet<>(globs);
        rest.removeIf(common::contains);
        return List.copyOf(rest);
    }

    private static List<String> withStars(List<String> globs) {
        return globs.stream().filter(glob -> glob.indexOf('*') >= 0).toList();
    }

    /** Adds those that a glob of the others names, and gives back the rest. */
    private List<String> notNamed(List<String> globs, List<String> others) {
        List<String> shortestFirst = withStars(others).stream()
                .sorted(Comparator.comparingInt(String::length))
                .toList();
        List<String> rest = new ArrayList<>();
        for (String glob : globs) {
            if (left > 0 && shortestFirst.stream().anyMatch(other -> names(other, glob))) {
                add(glob);
            } else {
                rest.add(glob);
            }
        }
        return rest;
    }

    private void add(String glob) {
        if (both.size() < MOST) {
            both.add(glob);
        }
    }

    /** Whether all that {@code name} stands for is named by a glob with a star; false also when no steps are left. */
    private boolean names(String glob, String name) {
        if (left <= 0 || !beginAlike(glob, name, glob.indexOf('*'))) {
            return false;
        }
        long steps = Grants.steps(glob, name);
        left -= steps < 0 ? ~steps : steps;
        return steps >= 0;
    }

    /** By far the most globs differ there. */
    private boolean beginAlike(String a, String b, int length) {
        left -= 1 + length / LETTERS;
        return a.regionMatches(0, b, 0, length);
    }

    private void cross(List<String> some, List<String> others) {
        for (String one : some) {
            for (String other : others) {
                if (left <= 0 || both.size() >= MOST) {
                    return;
                }
                if (beginAlike(one, other, Math.min(one.indexOf('*'), other.indexOf('*')))) {
                    of(one, other).forEach(this::add);
                }
            }
        }
    }

    private Set<String> of(String one, String other) {
        Set<String> found = new LinkedHashSet<>();
        last = Math.max(0, left - MOST_STEPS_OF_TWO);
        return step(one, 0, other, 0, new StringBuilder(), found) ? widest(found) : Set.of();
    }

    /**
     * Adds each glob that begins with {@code begun} and goes on with what the rests of both name.
     *
     * @return false when that takes too long
     */
    private boolean step(String a, int i, String b, int j, StringBuilder begun, Set<String> found) {
        left -= COST_OF_CROSSING;
        if (left < last || found.size() > MOST_OF_TWO) {
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
            // One of them ends first, and the other goes on.
            begun.append('*');
            whole = step(a, i + 1, b, j, begun, found);
            begun.setLength(length + 1);
            whole = whole && step(a, i, b, j + 1, begun, found);
        } else if (starOfA) {
            whole = step(a, i + 1, b, j, begun, found);
            begun.setLength(length);
            whole = whole && (j == b.length() || step(a, i, b, j + 1, begun.append(b.charAt(j)), found));
        } else if (starOfB) {
            whole = step(a, i, b, j + 1, begun, found);
            begun.setLength(length);
            whole = whole && (i == a.length() || step(a, i + 1, b, j, begun.append(a.charAt(i)), found));
        } else if (i < a.length() && j < b.length() && a.charAt(i) == b.charAt(j)) {
            whole = step(a, i + 1, b, j + 1, begun.append(a.charAt(i)), found);
        }
        begun.setLength(length);
        return whole;
    }

    /** Without those whose tools another names, too. */
    private Set<String> widest(Set<String> globs) {
        List<String> wide = new ArrayList<>(globs);
        wide.removeIf(glob ->
                globs.stream().anyMatch(other -> !other.equals(glob) && names(other, glob) && !names(glob, other)));
        return new LinkedHashSet<>(wide);
    }
}
