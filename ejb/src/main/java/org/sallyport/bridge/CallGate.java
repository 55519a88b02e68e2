package org.sallyport.bridge;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sallyport.catalog.CapabilityTools;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.Cost;
import org.sallyport.policy.Budget;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Grants;
import org.sallyport.policy.Policies;
import org.sallyport.policy.Situation;
import org.sallyport.policy.Terms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** The checks between a script's call and its sending, in their order: grant, existence, policy, schema. Thread-safe. */
public final class CallGate {
    private final Catalog catalog;
    private final Policies policies;
    private final Capabilities capabilities;

    /** What a tenant has published under a name, as a tool; empty when there is none. */
    @FunctionalInterface
    public interface Capabilities {
        Optional<CatalogTool> find(String tenant, String name);
    }

    /** Where nothing is published. */
    public CallGate(Catalog catalog, Policies policies) {
        this(catalog, policies, (tenant, name) -> Optional.empty());
    }

    public CallGate(Catalog catalog, Policies policies, Capabilities capabilities) {
        this.catalog = catalog;
        this.policies = policies;
        this.capabilities = capabilities;
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
        Optional<CatalogTool> found = catalog.find(name).or(() -> capability(situation.tenant(), name));
        if (!grants.allows(found.map(tool -> tool.spec().name()).orElse(name))) {
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

    /** What a call costs, by the tenant's policy; empty when nobody can tell. As {@link #judge} it may wait for the store. */
    public Optional<Cost> cost(String tenant, ToolSpec tool, Json arguments) {
        return policies.of(tenant).cost(tool, arguments);
    }

    /** How much a tenant's calls may cost together. */
    public List<Budget> budgets(String tenant) {
        return policies.of(tenant).budgets();
    }

    /** A backend's name hides a capability of the same namespace. */
    private Optional<CatalogTool> capability(String tenant, ToolName name) {
        if (name.backend().equals(CapabilityTools.BACKEND)) {
            return capabilities.find(tenant, name.tool());
        }
        return catalog.hasBackend(name.backend()) ? Optional.empty() : capabilities.find(tenant, name.toString());
    }

    private String notFound(Grants grants, ToolName name) {
        if (name.backend().equals(CapabilityTools.BACKEND)) {
            return "no capability '" + name.tool() + "' is published that is not deprecated";
        }
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
