package org.sallyport.bridge;

import java.util.Optional;
import java.util.stream.Collectors;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Grants;
import org.sallyport.policy.Policies;
import org.sallyport.policy.Situation;
import org.sallyport.policy.Terms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/** The checks between a script's call and its sending, in their order: grant, existence, policy, schema. Thread-safe. */
public final class CallGate {
    private final Catalog catalog;
    private final Policies policies;

    public CallGate(Catalog catalog, Policies policies) {
        this.catalog = catalog;
        this.policies = policies;
    }

    /** The verdict on one call, with the rule of the policy that decided, if it came to that. */
    public sealed interface Verdict {
        /**
         * It may be sent.
         *
         * @param personKnows whether a person is asked what became of it when nobody knows
         */
        record Pass(CatalogTool tool, String rule, boolean personKnows) implements Verdict {}

        /** It may be sent when people say so. */
        record Ask(CatalogTool tool, String rule, Terms terms, boolean personKnows) implements Verdict {}

        /** It is answered without being sent. */
        record Mock(String rule, Json value) implements Verdict {}

        /** It may not be sent. */
        record Refuse(ToolError error, Optional<String> rule) implements Verdict {}
    }

    /**
     * Judges a call of {@code name} with {@code arguments} under {@code grants}. May wait for the store of policies, and
     * throws its exception when it does not answer.
     */
    public Verdict judge(Grants grants, ToolName name, Json arguments, Situation situation) {
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
        Decision decision = policies.of(situation.tenant()).decide(tool.spec(), arguments, situation);
        if (decision instanceof Decision.Deny deny) {
            return new Verdict.Refuse(
                    new ToolError(ToolErrorCode.DENIED, deny.reason() + " (rule " + deny.rule() + ")"),
                    Optional.of(deny.rule()));
        }
        Optional<String> fault = tool.schema().fault(arguments);
        if (fault.isPresent()) {
            return refuse(ToolErrorCode.INVALID_ARGUMENTS, "'" + name + "' was called with invalid " + fault.get());
        }
        if (decision instanceof Decision.Ask ask) {
            return new Verdict.Ask(tool, ask.rule(), ask.terms(), ask.personKnows());
        } else if (decision instanceof Decision.Mock mock) {
            return new Verdict.Mock(mock.rule(), mock.value());
        }
        return new Verdict.Pass(tool, decision.rule(), decision instanceof Decision.Allow allow && allow.personKnows());
    }

    private String notFound(Grants grants, ToolName name) {
        String nearest = catalog.nearest(name).stream()
                .filter(grants::allows)
                .map(ToolName::toString)
                .collect(Collectors.joining(", "));
        return "there is no tool '" + name + "'" + (nearest.isEmpty() ? "" : "; did you mean " + nearest + "?");
    }

    private static Verdict refuse(ToolErrorCode code, String message) {
        return new Verdict.Refuse(new ToolError(code, message), Optional.empty());
    }
}
