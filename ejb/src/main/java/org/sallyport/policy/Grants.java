package org.sallyport.policy;

import java.util.List;
import org.sallyport.tool.ToolName;

/**
 * The tools an execution may call, as globs over {@code backend.tool} in which {@code *} stands for any characters.
 * Nothing is granted that no glob names.
 *
 * @param globs for example {@code demo.*}
 */
public record Grants(List<String> globs) {
    public Grants {
        globs = List.copyOf(globs);
    }

    /** Whether {@code tool} may be called. */
    public boolean allows(ToolName tool) {
        String name = tool.toString();
        return globs.stream().anyMatch(glob -> matches(glob, name));
    }

    /** Whether a glob names a tool. Linear for every input: a {@code *} is matched greedily with one place to come back to. */
    public static boolean matches(String glob, String name) {
        int g = 0;
        int n = 0;
        int star = -1;
        int resume = 0;
        while (n < name.length()) {
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
                return false;
            }
        }
        while (g < glob.length() && glob.charAt(g) == '*') {
            g++;
        }
        return g == glob.length();
    }
}
