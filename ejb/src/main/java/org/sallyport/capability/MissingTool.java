package org.sallyport.capability;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A tool that a capability needs and that does not exist.
 *
 * @param tool its name, as the capability declares it
 * @param backend the part of the name that names the backend
 * @param reason what is absent: the backend, or the tool of the backend
 */
public record MissingTool(String tool, String backend, String reason) {
    private static final int MAX_DESCRIBED = 10;

    /** Says which tools are missing, and why. */
    public static String describe(List<MissingTool> missing) {
        String described = missing.stream()
                .limit(MAX_DESCRIBED)
                .map(each -> "the tool '" + each.tool() + "' does not exist: " + each.reason())
                .collect(Collectors.joining("; "));
        return missing.size() <= MAX_DESCRIBED
                ? described
                : described + "; and " + (missing.size() - MAX_DESCRIBED) + " more";
    }
}
