package org.sallyport.bridge;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.policy.CallFingerprinter;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.policy.ToolGrants;
import org.sallyport.script.ScriptHash;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * Computes the fingerprint of everything a cached result depends on: the tenant's policy, the grants, the tool
 * definitions and the importable modules. Thread-safe.
 */
public final class CallFingerprints implements CallFingerprinter {
    private static final int MAX_CACHED = 200;

    /** Callers write the grants, so that longer lists are not cached. */
    private static final int MAX_CACHED_GRANTS = 50;

    private final ToolCatalog catalog;
    private final ToolCallAuthorizer authorizer;
    private final PolicyStore policies;
    private final String modules;
    private final InstantSource clock;
    private volatile FingerprintCache cache = new FingerprintCache(List.of(), new ConcurrentHashMap<>());

    private record FingerprintCache(List<CatalogTool> tools, Map<List<String>, String> byGrants) {}

    /** @param modules changes when the modules that scripts can import change */
    public CallFingerprints(
            ToolCatalog catalog, ToolCallAuthorizer gate, PolicyStore policies, String modules, InstantSource clock) {
        this.catalog = catalog;
        this.authorizer = gate;
        this.policies = policies;
        this.modules = modules;
        this.clock = clock;
    }

    /** Blocks on the policy store. */
    @Override
    public String fingerprint(String tenant, List<String> grants) {
        long version = policies.findNewest(tenant).map(PolicyVersion::version).orElse(0L);
        return version + ";" + modules + ";" + toolsFingerprint(grants);
    }

    private String toolsFingerprint(List<String> grants) {
        List<CatalogTool> tools = catalog.all();
        if (grants.size() > MAX_CACHED_GRANTS) {
            return hash(tools, new ToolGrants(grants));
        }
        FingerprintCache present = cache;
        if (present.tools() != tools || present.byGrants().size() > MAX_CACHED) {
            present = new FingerprintCache(tools, new ConcurrentHashMap<>());
            cache = present;
        }
        return present.byGrants().computeIfAbsent(grants, globs -> hash(tools, new ToolGrants(globs)));
    }

    /** Hashes everything that backends declare about their tools, including the hints. */
    private static String hash(List<CatalogTool> tools, ToolGrants grants) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (CatalogTool tool : tools) {
                if (grants.allows(tool.spec().name())) {
                    String about = tool.description().text();
                    digest.update((about.length() + ";").getBytes(StandardCharsets.US_ASCII));
                    digest.update(ScriptHash.utf16Bytes(about));
                }
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public boolean wouldAllowReadOnlyCall(
            String tenant,
            Optional<String> capability,
            List<String> grants,
            ToolName tool,
            Json arguments,
            List<ToolName> before) {
        // A capability runs an execution of its own, and host services are not tools, so neither counts as a read-only
        // tool.
        boolean readOnly = catalog.find(tool)
                .filter(found -> found.spec().hints().readOnly())
                .isPresent();
        if (!readOnly) {
            return false;
        }
        PolicyContext situation = new PolicyContext(tenant, () -> before, clock.instant()).withCapability(capability);
        return authorizer.authorize(new ToolGrants(grants), tool, arguments, situation)
                instanceof ToolCallAuthorizer.AuthorizationDecision.CallAllowed;
    }
}
