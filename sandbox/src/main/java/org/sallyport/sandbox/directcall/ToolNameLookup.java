package org.sallyport.sandbox.directcall;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.ToolNameMap;
import org.sallyport.sandbox.Toolbox;

/** Resolves names like the tool accessors of a guest. Thread-safe. */
final class ToolNameLookup {
    /** Never a member, because it would turn its owner into a thenable. */
    private static final String PROMISE_MEMBER = "then";

    private static volatile @Nullable ToolNameLookup cachedLookup;

    private final Toolbox toolbox;
    private final ToolNameMap names;
    /** Identifiers of the backends that scripts can see. */
    private final Set<String> visibleBackendIds;

    private ToolNameLookup(Toolbox toolbox) {
        this.toolbox = toolbox;
        names = ToolNameMap.of(toolbox);
        visibleBackendIds = toolbox.tools().stream().map(GuestTool::backendId).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the lookup of a toolbox; the last one is cached, since most scripts see the same tools. */
    static ToolNameLookup of(Toolbox toolbox) {
        ToolNameLookup known = cachedLookup;
        if (known == null
                || !known.toolbox.tools().equals(toolbox.tools())
                || !known.toolbox.ungrantedTools().equals(toolbox.ungrantedTools())
                || !known.toolbox.backends().equals(toolbox.backends())) {
            known = new ToolNameLookup(toolbox);
            cachedLookup = known;
        }
        return known;
    }

    /**
     * Resolves a path of two names, or of three with {@code tools} or {@code mcp} first, as a guest does. Returns empty
     * if it does not denote a tool.
     */
    Optional<GuestTool> resolve(List<String> path) {
        List<String> texts = new ArrayList<>(path);
        if (ReservedNames.isToolRoot(texts.get(0))) {
            texts.remove(0);
        } else if (!isBackend(texts.get(0))) {
            return Optional.empty();
        }
        if (texts.size() != 2 || texts.contains(PROMISE_MEMBER)) {
            return Optional.empty();
        }
        // The guest handles an unknown name, because it can suggest similar names.
        return names.findBackend(texts.get(0))
                .flatMap(backend -> Optional.ofNullable(names.tools(backend).get(texts.get(1))));
    }

    /** Returns whether scripts can use that name alone for a backend. */
    boolean isBackend(String name) {
        return !ReservedNames.isReserved(name) && visibleBackendIds.contains(name);
    }

    /** Returns the name of the backend that {@code text} denotes; {@code text} if there is none. */
    String backendName(String text) {
        return names.findBackend(text).orElse(text);
    }

    /** Returns whether {@code tool} was resolved by this lookup to a tool that the script may call. */
    boolean isGranted(GuestTool tool) {
        return names.isGranted(tool);
    }

    /** Returns the tool that {@code backend.tool} denotes; an unknown tool with the names in the text. */
    GuestTool resolveQualified(String name) {
        return names.resolve(name);
    }
}
