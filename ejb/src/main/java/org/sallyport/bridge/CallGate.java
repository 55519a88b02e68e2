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
import org.sallyport.policy.Holdings;
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
    /** In place of a policy's rule: the key that submitted has not this grant any more. */
    public static final String KEY_GRANTS = "key-grants";

    /** In place of a policy's rule: the key that submitted is no more. */
    public static final String KEY_GONE = "key-deleted";

    private static final int GLOBS_SAID = 20;

    /** No backend's name begins so: the services of the host are called under such names. */
    private static final String HOST = "$";

    private final Catalog catalog;
    private final Policies policies;
    private final Capabilities capabilities;
    private final Holdings holdings;

    /** What a tenant has published under a name, as a tool; empty when there is none. */
    @FunctionalInterface
    public interface Capabilities {
        Optional<CatalogTool> find(String tenant, String name);
    }

    /** Where nothing is published, and nobody is kept from anything. */
    public CallGate(Catalog catalog, Policies policies) {
        this(catalog, policies, (tenant, name) -> Optional.empty(), Holdings.EVERYTHING);
    }

    /** @param holdings what those may have called who submitted */
    public CallGate(Catalog catalog, Policies policies, Capabilities capabilities, Holdings holdings) {
        this.holdings = holdings;
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

    /** As {@link #judge(Grants, ToolName, Json, Situation)}, and by what {@code submitter} may have called by now. */
    public Verdict judge(String submitter, Grants grants, ToolName name, Json arguments, Situation situation) {
        Optional<CatalogTool> found = find(name, situation.tenant());
        ToolName known = known(found, name);
        if (grants.allows(known)) {
            Optional<Decision.Deny> withdrawn = withdrawn(submitter, known);
            if (withdrawn.isPresent()) {
                Decision.Deny deny = withdrawn.get();
                return new Verdict.Refuse(Decision.Deny.error(deny.rule(), deny.reason()), Optional.of(deny.rule()));
            }
        }
        return judge(found, grants, name, arguments, situation);
    }

    /**
     * Why a tool may not be called any more in the name of {@code submitter}, though the execution was granted it; empty when it may.
     * May wait for the store, and throws its exception when nothing is known of him.
     *
     * @param name by which the catalog has it
     */
    public Optional<Decision.Deny> withdrawn(String submitter, ToolName name) {
        Optional<Grants> held = holdings.of(submitter);
        if (held.isEmpty()) {
            return Optional.of(new Decision.Deny(KEY_GONE, "the key that submitted this execution was deleted"));
        }
        return held.get().allows(name)
                ? Optional.empty()
                : Optional.of(new Decision.Deny(
                        KEY_GRANTS, "'" + name + "' was taken from the key that submitted this execution"));
    }

    /**
     * The tool that a call of {@code name} is a call of: the catalog's, or what the tenant has published under it. May wait for the store.
     * Once for a call: another look may cost another query, and may find what was published meanwhile.
     */
    public Optional<CatalogTool> find(ToolName name, String tenant) {
        return catalog.find(name).or(() -> capability(tenant, name));
    }

    /**
     * How rules write what a script calls so. A capability may be called by its own name where no backend hides it: what counts the calls
     * of a tool, or labels them, must not be evaded by the other spelling. Asks nobody.
     */
    public ToolName spelt(ToolName name) {
        boolean own = name.isWellFormed()
                && !name.backend().equals(CapabilityTools.BACKEND)
                && !name.backend().startsWith(HOST)
                && !catalog.hasBackend(name.backend());
        return own ? new ToolName(CapabilityTools.BACKEND, name.toString()) : name;
    }

    private static ToolName known(Optional<CatalogTool> found, ToolName name) {
        return found.map(tool -> tool.spec().name()).orElse(name);
    }

    /**
     * Judges a call of {@code name} with {@code arguments} under {@code grants}. May wait for the store of policies, and
     * throws its exception when it does not answer.
     */
    public Verdict judge(Grants grants, ToolName name, Json arguments, Situation situation) {
        return judge(find(name, situation.tenant()), grants, name, arguments, situation);
    }

    private Verdict judge(
            Optional<CatalogTool> found, Grants grants, ToolName name, Json arguments, Situation situation) {
        if (!grants.allows(known(found, name))) {
            // The same words whether the tool exists or not: what is not granted cannot be explored.
            return refuse(
                    ToolErrorCode.NOT_GRANTED,
                    "'" + name + "' is not granted to this execution; it may call: " + said(grants.globs()));
        }
        if (found.isEmpty()) {
            return refuse(ToolErrorCode.TOOL_NOT_FOUND, notFound(grants, name));
        }
        CatalogTool tool = found.get();
        Decision decision =
                policies.of(situation.tenant()).decide(tool.spec(), arguments, situation.spelling(this::spelt));
        if (decision instanceof Decision.Deny deny) {
            return new Verdict.Refuse(Decision.Deny.error(deny.rule(), deny.reason()), Optional.of(deny.rule()));
        }
        Optional<ToolError> fault = tool.schema().firstFault(arguments).map(first -> first.refusal(name.toString()));
        if (fault.isPresent()) {
            return new Verdict.Refuse(fault.get(), Optional.empty());
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
        String nearest = catalog.nearest(name, grants::allows).stream()
                .map(ToolName::toString)
                .collect(Collectors.joining(", "));
        return "there is no tool '" + name + "'" + (nearest.isEmpty() ? "" : "; did you mean " + nearest + "?");
    }

    /** Not all of a thousand: a script may be told this for each of its calls. */
    private static String said(List<String> globs) {
        return globs.size() <= GLOBS_SAID
                ? String.join(", ", globs)
                : String.join(", ", globs.subList(0, GLOBS_SAID)) + " … and " + (globs.size() - GLOBS_SAID) + " more";
    }

    private static Verdict refuse(ToolErrorCode code, String message) {
        return new Verdict.Refuse(new ToolError(code, message), Optional.empty());
    }
}
