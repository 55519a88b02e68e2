package org.sallyport.bridge;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.execution.Cost;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.Budget;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.policy.PolicyProvider;
import org.sallyport.policy.SubmitterGrants;
import org.sallyport.policy.ToolGrants;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** The checks between a script's call and its sending, in their order: grant, existence, policy, schema. Thread-safe. */
public final class ToolCallAuthorizer {
    /** In place of a policy's rule: the key that submitted has not this grant any more. */
    public static final String KEY_GRANTS = "key-grants";

    /** In place of a policy's rule: the key that submitted is no more. */
    public static final String KEY_DELETED = "key-deleted";

    private static final int MAX_GLOBS_IN_MESSAGE = 20;

    /** No backend's name begins so: the services of the host are called under such names. */
    private static final String HOST_PREFIX = "$";

    private final ToolCatalog catalog;
    private final PolicyProvider policies;
    private final CapabilityToolLookup capabilities;
    private final SubmitterGrants submitterGrants;

    /** What a tenant has published under a name, as a tool; empty when there is none. */
    @FunctionalInterface
    public interface CapabilityToolLookup {
        Optional<CatalogTool> find(String tenant, String name);
    }

    /** Where nothing is published, and nobody is kept from anything. */
    public ToolCallAuthorizer(ToolCatalog catalog, PolicyProvider policies) {
        this(catalog, policies, (tenant, name) -> Optional.empty(), SubmitterGrants.ALL_TOOLS);
    }

    /** @param holdings what those may have called who submitted */
    public ToolCallAuthorizer(
            ToolCatalog catalog, PolicyProvider policies, CapabilityToolLookup capabilities, SubmitterGrants holdings) {
        this.submitterGrants = holdings;
        this.catalog = catalog;
        this.policies = policies;
        this.capabilities = capabilities;
    }

    /** The verdict on one call, with the rule of the policy that decided, if it came to that. */
    public sealed interface AuthorizationDecision {
        /**
         * It may be sent.
         *
         * @param approverCanConfirm whether a person is asked what became of it when nobody knows
         */
        record CallAllowed(CatalogTool tool, String rule, boolean approverCanConfirm)
                implements AuthorizationDecision {}

        /** It may be sent when people say so. */
        record CallNeedsApproval(CatalogTool tool, String rule, ApprovalTerms terms, boolean approverCanConfirm)
                implements AuthorizationDecision {}

        /** It is answered without being sent. */
        record CallMockedByPolicy(String rule, Json value) implements AuthorizationDecision {}

        /** It may not be sent. */
        record CallDenied(ToolError error, Optional<String> rule) implements AuthorizationDecision {}
    }

    /** As {@link #authorize(ToolGrants, ToolName, Json, PolicyContext)}, and by what {@code submitter} may have called by now. */
    public AuthorizationDecision authorize(
            String submitter, ToolGrants grants, ToolName name, Json arguments, PolicyContext situation) {
        Optional<CatalogTool> found = findTool(name, situation.tenant());
        ToolName known = catalogName(found, name);
        if (grants.allows(known)) {
            Optional<PolicyDecision.DenyDecision> withdrawn = findRevocation(submitter, known);
            if (withdrawn.isPresent()) {
                PolicyDecision.DenyDecision deny = withdrawn.get();
                return new AuthorizationDecision.CallDenied(
                        PolicyDecision.DenyDecision.toToolError(deny.rule(), deny.reason()), Optional.of(deny.rule()));
            }
        }
        return authorize(found, grants, name, arguments, situation);
    }

    /**
     * Why a tool may not be called any more in the name of {@code submitter}, though the execution was granted it; empty when it may.
     * May wait for the store, and throws its exception when nothing is known of him.
     *
     * @param name by which the catalog has it
     */
    public Optional<PolicyDecision.DenyDecision> findRevocation(String submitter, ToolName name) {
        Optional<ToolGrants> held = submitterGrants.grantsFor(submitter);
        if (held.isEmpty()) {
            return Optional.of(
                    new PolicyDecision.DenyDecision(KEY_DELETED, "the key that submitted this execution was deleted"));
        }
        return held.get().allows(name)
                ? Optional.empty()
                : Optional.of(new PolicyDecision.DenyDecision(
                        KEY_GRANTS, "'" + name + "' was taken from the key that submitted this execution"));
    }

    /**
     * The tool that a call of {@code name} is a call of: the catalog's, or what the tenant has published under it. May wait for the store.
     * Once for a call: another look may cost another query, and may find what was published meanwhile.
     */
    public Optional<CatalogTool> findTool(ToolName name, String tenant) {
        return catalog.find(name).or(() -> findCapability(tenant, name));
    }

    /**
     * How rules write what a script calls so. A capability may be called by its own name where no backend hides it: what counts the calls
     * of a tool, or labels them, must not be evaded by the other spelling. Asks nobody.
     */
    public ToolName canonicalName(ToolName name) {
        boolean own = name.isWellFormed()
                && !name.backend().equals(CapabilityToolProvider.BACKEND)
                && !name.backend().startsWith(HOST_PREFIX)
                && !catalog.hasBackend(name.backend());
        return own ? new ToolName(CapabilityToolProvider.BACKEND, name.toString()) : name;
    }

    private static ToolName catalogName(Optional<CatalogTool> found, ToolName name) {
        return found.map(tool -> tool.spec().name()).orElse(name);
    }

    /**
     * Judges a call of {@code name} with {@code arguments} under {@code grants}. May wait for the store of policies, and
     * throws its exception when it does not answer.
     */
    public AuthorizationDecision authorize(ToolGrants grants, ToolName name, Json arguments, PolicyContext situation) {
        return authorize(findTool(name, situation.tenant()), grants, name, arguments, situation);
    }

    private AuthorizationDecision authorize(
            Optional<CatalogTool> found, ToolGrants grants, ToolName name, Json arguments, PolicyContext situation) {
        if (!grants.allows(catalogName(found, name))) {
            // The same words whether the tool exists or not: what is not granted cannot be explored.
            return deny(
                    ToolErrorCode.NOT_GRANTED,
                    "'" + name + "' is not granted to this execution; it may call: " + describeGlobs(grants.globs()));
        }
        if (found.isEmpty()) {
            return deny(ToolErrorCode.TOOL_NOT_FOUND, notFoundMessage(grants, name));
        }
        CatalogTool tool = found.get();
        PolicyDecision decision = policies.policyFor(situation.tenant())
                .decide(tool.spec(), arguments, situation.canonicalName(this::canonicalName));
        if (decision instanceof PolicyDecision.DenyDecision deny) {
            return new AuthorizationDecision.CallDenied(
                    PolicyDecision.DenyDecision.toToolError(deny.rule(), deny.reason()), Optional.of(deny.rule()));
        }
        Optional<ToolError> fault = tool.schema().validate(arguments).map(first -> first.toToolError(name.toString()));
        if (fault.isPresent()) {
            return new AuthorizationDecision.CallDenied(fault.get(), Optional.empty());
        }
        if (decision instanceof PolicyDecision.AskDecision ask) {
            return new AuthorizationDecision.CallNeedsApproval(tool, ask.rule(), ask.terms(), ask.approverCanConfirm());
        } else if (decision instanceof PolicyDecision.MockDecision mock) {
            return new AuthorizationDecision.CallMockedByPolicy(mock.rule(), mock.value());
        }
        return new AuthorizationDecision.CallAllowed(
                tool,
                decision.rule(),
                decision instanceof PolicyDecision.AllowDecision allow && allow.approverCanConfirm());
    }

    /** What a call costs, by the tenant's policy; empty when nobody can tell. As {@link #authorize} it may wait for the store. */
    public Optional<Cost> cost(String tenant, ToolSpec tool, Json arguments) {
        return policies.policyFor(tenant).cost(tool, arguments);
    }

    /** How much a tenant's calls may cost together. */
    public List<Budget> budgets(String tenant) {
        return policies.policyFor(tenant).budgets();
    }

    /** A backend's name hides a capability of the same namespace. */
    private Optional<CatalogTool> findCapability(String tenant, ToolName name) {
        if (name.backend().equals(CapabilityToolProvider.BACKEND)) {
            return capabilities.find(tenant, name.tool());
        }
        return catalog.hasBackend(name.backend()) ? Optional.empty() : capabilities.find(tenant, name.toString());
    }

    private String notFoundMessage(ToolGrants grants, ToolName name) {
        if (name.backend().equals(CapabilityToolProvider.BACKEND)) {
            return "no capability '" + name.tool() + "' is published that is not deprecated";
        }
        String nearest = catalog.nearest(name, grants::allows).stream()
                .map(ToolName::toString)
                .collect(Collectors.joining(", "));
        return "there is no tool '" + name + "'" + (nearest.isEmpty() ? "" : "; did you mean " + nearest + "?");
    }

    /** Not all of a thousand: a script may be told this for each of its calls. */
    private static String describeGlobs(List<String> globs) {
        return globs.size() <= MAX_GLOBS_IN_MESSAGE
                ? String.join(", ", globs)
                : String.join(", ", globs.subList(0, MAX_GLOBS_IN_MESSAGE)) + " … and "
                        + (globs.size() - MAX_GLOBS_IN_MESSAGE) + " more";
    }

    private static AuthorizationDecision deny(ToolErrorCode code, String message) {
        return new AuthorizationDecision.CallDenied(new ToolError(code, message), Optional.empty());
    }
}
