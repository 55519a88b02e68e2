package org.sallyport.bridge;

import java.util.Optional;
import java.util.stream.Collectors;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Grants;
import org.sallyport.policy.Policy;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/** The checks between a script's call and its sending, in their order: grant, existence, policy, schema. Thread-safe. */
public final class CallGate {
    private final Catalog catalog;
    private final Policy policy;

    public CallGate(Catalog catalog, Policy policy) {
        this.catalog = catalog;
        this.policy = policy;
    }

    /** The verdict on one call. */
    public sealed interface Verdict {
        /** It may be sent. */
        record Pass(CatalogTool tool) implements Verdict {}

        /** It may not. */
        record Refuse(ToolError error) implements Verdict {}
    }

    /** Judges a call of {@code name} with {@code arguments} under {@code grants}. */
    public Verdict judge(Grants grants, ToolName name, Json arguments) {
        Optional<CatalogTool> found = catalog.find(name);
        if (!grants.allows(name)) {
            // The same words whether the tool exists or not: what is not granted cannot be explored.
            return refuse(
                    ToolErrorCode.NOT_GRANTED,
                    "'" + name + "' is not granted to this execution; it may call: "
                            + String.join(", ", grants.globs()));
        }
        if (found.isEmpty()) {
            return refuse(ToolErrorCode.TOOL_NOT_FOUND, notFound(grants, name));
        }
        CatalogTool tool = found.get();
        if (policy.decide(tool.spec()) instanceof Decision.Deny deny) {
            return refuse(ToolErrorCode.DENIED, deny.reason() + " (rule " + deny.rule() + ")");
        }
        Optional<String> fault = tool.schema().fault(arguments);
        if (fault.isPresent()) {
            return refuse(ToolErrorCode.INVALID_ARGUMENTS, "'" + name + "' was called with invalid " + fault.get());
        }
        return new Verdict.Pass(tool);
    }

    private String notFound(Grants grants, ToolName name) {
        String nearest = catalog.nearest(name).stream()
                .filter(grants::allows)
                .map(ToolName::toString)
                .collect(Collectors.joining(", "));
        return "there is no tool '" + name + "'" + (nearest.isEmpty() ? "" : "; did you mean " + nearest + "?");
    }

    private static Verdict refuse(ToolErrorCode code, String message) {
        return new Verdict.Refuse(new ToolError(code, message));
    }
}
