package org.sallyport.policy;

import java.util.List;
import org.sallyport.tool.ToolName;

/**
 * The tools that an execution may call, as globs over {@code backend.tool} in which {@code *} matches any characters. A
 * tool that no glob matches is not granted.
 *
 * @param globs for example {@code demo.*}
 */
public record ToolGrants(List<String> globs) {
    /** The globs that match every tool. */
    public static final List<String> EVERY_TOOL = List.of("*");

    public ToolGrants {
        globs = List.copyOf(globs);
    }

    /** Returns whether {@code tool} may be called. */
    public boolean allows(ToolName tool) {
        String name = tool.toString();
        return globs.stream().anyMatch(glob -> matches(glob, name));
    }

    /**
     * Returns globs of the tools that both lists match. The result never matches more than that. It matches less only
     * where the exact result needs too many steps or globs. It is always exact for globs in both lists, and when one of
     * the lists matches every tool.
     */
    public static List<String> intersection(List<String> some, List<String> others) {
        if (some.equals(others) || others.containsAll(EVERY_TOOL)) {
            return some;
        } else if (some.containsAll(EVERY_TOOL)) {
            return others;
        }
        return GlobIntersection.intersect(some, others);
    }

    /**
     * Returns whether a glob matches a tool. Takes at most the product of the lengths in steps: a {@code *} is matched
     * greedily with one backtrack position.
     */
    public static boolean matches(String glob, String name) {
        return matchSteps(glob, name) >= 0;
    }

    /**
     * Returns the number of steps that the match takes. When the glob does not match, returns the negated number of
     * steps minus one.
     */
    static long matchSteps(String glob, String name) {
        long steps = 0;
        int g = 0;
        int n = 0;
        int star = -1;
        int resume = 0;
        while (n < name.length()) {
            steps++;
            if (g < glob.length() && glob.charAt(g) == '*') {
                star = g++;
                resume = n;
            } else if (g < glob.length() && glob.charAt(g) == name.charAt(n)) {
                g++;
                n++;
            } else if (star >= 0) {
                g = star + 1;
                n = ++resume;
            } else {
                return ~steps;
            }
        }
        while (g < glob.length() && glob.charAt(g) == '*') {
            g++;
        }
        return g == glob.length() ? steps : ~steps;
    }
}
