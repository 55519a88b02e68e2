package org.sallyport.sandbox.tier;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.source.Mentions;
import org.sallyport.sandbox.source.Place;

/**
 * A tool that a script names.
 *
 * @param tool original names, or those that the script has when there is no such tool
 * @param known whether there is such a tool
 * @param place where
 * @param arguments what it is called with as JSON text, when the whole script is that one call
 */
public record ToolUse(GuestTool tool, boolean known, Place place, Optional<String> arguments) {

    /** What {@code script} names of all {@code tools} there are, or would if they were there; in the order of the script. */
    public static List<ToolUse> of(Script script, List<GuestTool> tools) {
        ToolNames names = ToolNames.of(new Toolbox(tools, List.of()));
        Optional<PlannedCall> single = Recognition.of(script).flatMap(found -> found.call(names));
        if (single.isPresent()) {
            PlannedCall call = single.get();
            return List.of(new ToolUse(
                    call.tool(),
                    tools.stream().anyMatch(tool -> same(tool, call.tool())),
                    call.place(),
                    Optional.of(call.arguments())));
        }
        List<ToolUse> uses = new ArrayList<>();
        for (Mentions.Path path : Mentions.of(script).paths()) {
            use(path, names).ifPresent(uses::add);
        }
        return uses;
    }

    private static boolean same(GuestTool one, GuestTool other) {
        return one.backend().equals(other.backend()) && one.tool().equals(other.tool());
    }

    private static Optional<ToolUse> use(Mentions.Path path, ToolNames names) {
        int root = GlobalNames.isToolRoot(path.names().get(0)) ? 1 : 0;
        if (path.names().size() < root + 2) {
            return Optional.empty();
        }
        List<String> tool = path.names().subList(0, root + 2);
        Optional<GuestTool> found = names.resolve(tool);
        if (found.isPresent()) {
            return Optional.of(new ToolUse(found.get(), true, path.place(), Optional.empty()));
        }
        String backend = path.names().get(root);
        return root == 1 || names.isBackend(backend)
                ? Optional.of(new ToolUse(
                        new GuestTool(backend, path.names().get(root + 1)), false, path.place(), Optional.empty()))
                : Optional.empty();
    }
}
