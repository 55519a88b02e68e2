package org.sallyport.policy;

import java.util.List;
import org.sallyport.tool.ToolName;

/**
 * The tools an execution may call, as globs over {@code backend.tool} in which {@code *} stands for any characters.
 * Nothing is granted that no glob names.
 *
 * @param globs for example {@code demo.*}
 */
public record ToolGrants(List<String> globs) {
    /** The globs that name every tool. */
    public static final List<String> EVERY_TOOL = List.of("*");

    public ToolGrants {
        globs = List.copyOf(globs);
    }

    /** Whether {@code tool} may be called. */
    public boolean allows(ToolName tool) {
        String name = tool.toString();
        return globs.stream().anyMatch(glob -> matches(glob, name));
    }

    /**
     * Globs of the tools that globs of both lists name. Never more than those; fewer only where it would take long or many
     * globs to say. Exact however many there are: what both lists hold, and one of them when the other names every tool.
     */
    public static List<String> intersection(List<String> some, List<String> others) {
        if (some.equals(others) || others.containsAll(EVERY_TOOL)) {
            return some;
        } else if (some.containsAll(EVERY_TOOL)) {
            return others;
        }
        return GlobIntersection.intersect(some, others);
    }

    /** Whether a glob names a tool. At most one length times the other: a {@code *} is matched greedily with one place to come back to. */
    public static boolean matches(String glob, String name) {
        return matchSteps(glob, name) >= 0;
    }

    /** How many steps it takes to tell that a glob names a tool; when it does not, less than zero by as many and one more. */
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
