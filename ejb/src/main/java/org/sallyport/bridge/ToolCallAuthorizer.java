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

/**
 * Authorizes a tool call before it is sent. The checks run in this order: grant, existence, usability,
 * policy, schema.
 * Thread-safe.
 */
public final class ToolCallAuthorizer {
    /** Reported in place of a policy rule: the key that submitted the execution no longer has this grant. */
    public static final String KEY_GRANTS = "key-grants";

    /** Reported in place of a policy rule: the key that submitted the execution was deleted. */
    public static final String KEY_DELETED = "key-deleted";

    private static final int MAX_GLOBS_IN_MESSAGE = 20;

    /** Prefix of the names of host services. No backend name begins with it. */
    private static final String HOST_PREFIX = "$";

    private final ToolCatalog catalog;
    private final PolicyProvider policies;
    private final CapabilityToolLookup capabilities;
    private final SubmitterGrants submitterGrants;

    /** Finds the capability that a tenant published under a name, as a tool; empty if there is none. */
    @FunctionalInterface
    public interface CapabilityToolLookup {
        Optional<CatalogTool> find(String tenant, String name);
    }

    /** Creates an authorizer without capabilities and without restrictions by the submitter. */
    public ToolCallAuthorizer(ToolCatalog catalog, PolicyProvider policies) {
        this(catalog, policies, (tenant, name) -> Optional.empty(), SubmitterGrants.ALL_TOOLS);
    }

    /** @param holdings the current grants of submitters */
    public ToolCallAuthorizer(
            ToolCatalog catalog, PolicyProvider policies, CapabilityToolLookup capabilities, SubmitterGrants holdings) {
        this.submitterGrants = holdings;
        this.catalog = catalog;
        this.policies = policies;
        this.capabilities = capabilities;
    }

    /** The decision on one call, with the policy rule that decided, if a rule was evaluated. */
    public sealed interface AuthorizationDecision {
        /**
         * The call may be sent.
         *
         * @param approverCanConfirm whether a person is asked for the outcome if the outcome is unknown
         */
        record CallAllowed(CatalogTool tool, String rule, boolean approverCanConfirm)
                implements AuthorizationDecision {}

        /** The call may be sent after people have approved it. */
        record CallNeedsApproval(CatalogTool tool, String rule, ApprovalTerms terms, boolean approverCanConfirm)
                implements AuthorizationDecision {}

        /** The call is answered without being sent. */
        record CallMockedByPolicy(String rule, Json value) implements AuthorizationDecision {}

        /** The call must not be sent. */
        record CallDenied(ToolError error, Optional<String> rule) implements AuthorizationDecision {}
    }

    /**
     * Authorizes like {@link #authorize(ToolGrants, ToolName, Json, PolicyContext)}, and also requires that the current
     * grants of {@code submitter} allow the tool.
     */
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
     * Returns why {@code submitter} may no longer call a tool that was granted to the execution; empty if the call is
     * still allowed. May block on the store; throws the store's exception if it is unavailable and nothing is cached
     * for the submitter.
     *
     * @param name the name of the tool in the catalog
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
                        KEY_GRANTS, "'" + name + "' is no longer granted to the key that submitted this execution"));
    }

    /**
     * Finds the tool that a call of {@code name} refers to: a tool of the catalog, or a capability that the tenant
     * published under this name; empty if there is neither. May block on the store. Call it once per tool call: a
     * second lookup may cost another query and may find a capability published in between.
     */
    public Optional<CatalogTool> findTool(ToolName name, String tenant) {
        return catalog.find(name).or(() -> findCapability(tenant, name));
    }

    /**
     * Returns the spelling of a tool name that policy rules use. A script may call a capability by its own name if no
     * backend hides it; call counts and labels must not be evadable by the other spelling. Does not access the store.
     */
    public ToolName canonicalName(ToolName name) {
        boolean own = name.isWellFormed()
                && !name.backend().equals(CapabilityToolProvider.BACKEND)
                && !name.backend().startsWith(HOST_PREFIX)
                && !catalog.denotesBackend(name.backend());
        return own ? new ToolName(CapabilityToolProvider.BACKEND, name.toString()) : name;
    }

    private static ToolName catalogName(Optional<CatalogTool> found, ToolName name) {
        return found.map(tool -> tool.spec().name()).orElse(name);
    }

    /**
     * Decides on a call of {@code name} with {@code arguments} under {@code grants}. May block on the policy store, and
     * throws the store's exception if it is unavailable.
     */
    public AuthorizationDecision authorize(ToolGrants grants, ToolName name, Json arguments, PolicyContext situation) {
        return authorize(findTool(name, situation.tenant()), grants, name, arguments, situation);
    }

    private AuthorizationDecision authorize(
            Optional<CatalogTool> found, ToolGrants grants, ToolName name, Json arguments, PolicyContext situation) {
        if (!grants.allows(catalogName(found, name))) {
            // The message is the same whether the tool exists or not: a script must not discover tools that are not
            // granted.
            return deny(
                    ToolErrorCode.NOT_GRANTED,
                    "'" + name + "' is not granted to this execution; it may call: " + describeGlobs(grants.globs()));
        }
        if (found.isEmpty() && catalog.isNotHosted(name.backend())) {
            return deny(
                    ToolErrorCode.BACKEND_UNAVAILABLE,
                    "'" + name + "' was not called: its backend is configured, but not hosted by this node");
        }
        if (found.isEmpty()) {
            return deny(ToolErrorCode.TOOL_NOT_FOUND, notFoundMessage(grants, name));
        }
        CatalogTool tool = found.get();
        if (tool.unusable().isPresent()) {
            return deny(
                    ToolErrorCode.TOOL_UNUSABLE,
                    "'" + name + "' cannot be used: " + tool.unusable().get());
        }
        PolicyDecision decision = policies.policyFor(situation.tenant())
                .decide(tool.spec(), arguments, situation.canonicalName(this::canonicalName));
        if (decision instanceof PolicyDecision.DenyDecision deny) {
            return new AuthorizationDecision.CallDenied(
                    PolicyDecision.DenyDecision.toToolError(deny.rule(), deny.reason()), Optional.of(deny.rule()));
        }
        Optional<ToolError> error = tool.schema().validate(arguments).map(first -> first.toToolError(name.toString()));
        if (error.isPresent()) {
            return new AuthorizationDecision.CallDenied(error.get(), Optional.empty());
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

    /**
     * Returns the cost of a call by the tenant's policy; empty if it is unknown. May block on the store like
     * {@link #authorize}.
     */
    public Optional<Cost> cost(String tenant, ToolSpec tool, Json arguments) {
        return policies.policyFor(tenant).cost(tool, arguments);
    }

    /** Returns the tenant's budgets. */
    public List<Budget> budgets(String tenant) {
        return policies.policyFor(tenant).budgets();
    }

    /**
     * Finds a capability by its name. A backend hides the capabilities of the namespace that equals its name or
     * identifier, also while it has no tools: the text would denote its tools later.
     */
    private Optional<CatalogTool> findCapability(String tenant, ToolName name) {
        if (name.backend().equals(CapabilityToolProvider.BACKEND)) {
            return capabilities.find(tenant, name.tool());
        }
        return catalog.denotesBackend(name.backend()) ? Optional.empty() : capabilities.find(tenant, name.toString());
    }

    private String notFoundMessage(ToolGrants grants, ToolName name) {
        if (name.backend().equals(CapabilityToolProvider.BACKEND)) {
            return "no capability '" + name.tool() + "' has a published version that is not deprecated";
        }
        String nearest = catalog.nearest(name, grants::allows).stream()
                .map(ToolName::toString)
                .collect(Collectors.joining(", "));
        return "there is no tool '" + name + "'" + (nearest.isEmpty() ? "" : "; did you mean " + nearest + "?");
    }

    /** Lists a limited number of globs, because a script may receive this message for each of its calls. */
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
