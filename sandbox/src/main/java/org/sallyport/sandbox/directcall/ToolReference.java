package org.sallyport.sandbox.directcall;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.GuestToolSnapshot;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptReferences;

/**
 * A reference of a script to a tool.
 *
 * @param tool the tool; when it does not exist, the earlier tool that keeps the name, or the names in the script
 * @param exists whether the tool exists
 * @param line line of the reference, from 1; 0 when unknown
 * @param column column of the reference, from 1, in UTF-16 code units; 0 when unknown
 * @param arguments JSON arguments, if the whole script is this one call
 */
public record ToolReference(GuestTool tool, boolean exists, int line, int column, Optional<String> arguments) {

    /**
     * Finds the references of {@code script} to the tools of {@code all}, and to tools that do not exist, in the order
     * of the script.
     *
     * @param references the names that the script refers to
     */
    public static List<ToolReference> findIn(Script script, ScriptReferences references, GuestToolSnapshot all) {
        ToolNameLookup names = ToolNameLookup.of(all.toToolbox());
        Optional<DirectCall> single = DirectCallMatcher.of(script).flatMap(found -> found.resolveCall(names));
        if (single.isPresent()) {
            DirectCall call = single.get();
            return List.of(new ToolReference(
                    call.tool(),
                    names.isGranted(call.tool()),
                    call.position().line(),
                    call.position().column(),
                    Optional.of(call.arguments())));
        }
        List<ToolReference> uses = new ArrayList<>();
        for (ScriptReferences.ReferencePath path : references.paths()) {
            resolve(path, names).ifPresent(uses::add);
        }
        return uses;
    }

    private static Optional<ToolReference> resolve(ScriptReferences.ReferencePath path, ToolNameLookup names) {
        int root = ReservedNames.isToolRoot(path.names().get(0)) ? 1 : 0;
        if (path.names().size() < root + 2) {
            return Optional.empty();
        }
        List<String> tool = path.names().subList(0, root + 2);
        Optional<GuestTool> found = names.resolve(tool);
        if (found.isPresent()) {
            return Optional.of(new ToolReference(
                    found.get(), names.isGranted(found.get()), path.line(), path.column(), Optional.empty()));
        }
        String backend = path.names().get(root);
        return root == 1 || names.isBackend(backend)
                ? Optional.of(new ToolReference(
                        new GuestTool(names.backendName(backend), path.names().get(root + 1)),
                        false,
                        path.line(),
                        path.column(),
                        Optional.empty()))
                : Optional.empty();
    }
}
