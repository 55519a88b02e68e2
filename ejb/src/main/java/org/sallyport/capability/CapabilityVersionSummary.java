package org.sallyport.capability;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.sallyport.execution.ScriptLanguage;

/**
 * Summary of a version, as shown in lists.
 *
 * @param version the version
 * @param language the language of its code
 * @param description its purpose
 * @param hash hash of its content
 * @param tools globs of the tools that it needs
 * @param publisher id of the caller who published it
 * @param publishedAt when it was published
 * @param deprecated whether it is deprecated
 */
public record CapabilityVersionSummary(
        SemanticVersion version,
        ScriptLanguage language,
        String description,
        String hash,
        List<String> tools,
        String publisher,
        Instant publishedAt,
        boolean deprecated) {
    /** The alias of the newest version that is not deprecated. */
    public static final String LATEST = "latest";

    /** The alias of the newest release that is not deprecated. */
    public static final String STABLE = "stable";

    public CapabilityVersionSummary {
        tools = List.copyOf(tools);
    }

    /** Returns the version among {@code versions} to which an alias resolves; empty when there is none. */
    public static Optional<CapabilityVersionSummary> resolveAlias(
            String alias, List<CapabilityVersionSummary> versions) {
        return versions.stream()
                .filter(each -> !each.deprecated())
                .filter(each -> alias.equals(LATEST)
                        || (alias.equals(STABLE) && each.version().isRelease()))
                .max(Comparator.comparing(CapabilityVersionSummary::version));
    }
}
