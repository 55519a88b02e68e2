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
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.policy.Grants;
import org.sallyport.policy.Grounds;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.policy.Situation;
import org.sallyport.script.ScriptHash;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** What answers rest on, by the catalog, the gate and the policies of now. */
public final class CallGrounds implements Grounds {
    private static final int REMEMBERED = 200;

    /** Callers write them: what is remembered must not be large. */
    private static final int MOST_GRANTS = 50;

    private final Catalog catalog;
    private final CallGate gate;
    private final PolicyStore policies;
    private final String modules;
    private final InstantSource clock;
    private volatile Known known = new Known(List.of(), new ConcurrentHashMap<>());

    private record Known(List<CatalogTool> tools, Map<List<String>, String> byGrants) {}

    /** @param modules the same for as long as what scripts can import is the same */
    public CallGrounds(Catalog catalog, CallGate gate, PolicyStore policies, String modules, InstantSource clock) {
        this.catalog = catalog;
        this.gate = gate;
        this.policies = policies;
        this.modules = modules;
        this.clock = clock;
    }

    /** Waits for the store of policies. */
    @Override
    public String fingerprint(String tenant, List<String> grants) {
        long version = policies.newest(tenant).map(PolicyVersion::version).orElse(0L);
        return version + ";" + modules + ";" + tools(grants);
    }

    private String tools(List<String> grants) {
        List<CatalogTool> tools = catalog.all();
        if (grants.size() > MOST_GRANTS) {
            return hash(tools, new Grants(grants));
        }
        Known present = known;
        if (present.tools() != tools || present.byGrants().size() > REMEMBERED) {
            present = new Known(tools, new ConcurrentHashMap<>());
            known = present;
        }
        return present.byGrants().computeIfAbsent(grants, globs -> hash(tools, new Grants(globs)));
    }

    /** Of all that their backends say of them, hints included. */
    private static String hash(List<CatalogTool> tools, Grants grants) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (CatalogTool tool : tools) {
                if (grants.allows(tool.spec().name())) {
                    String about = tool.about().text();
                    digest.update((about.length() + ";").getBytes(StandardCharsets.US_ASCII));
                    digest.update(ScriptHash.bytes(about));
                }
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public boolean hold(
            String tenant,
            Optional<String> capability,
            List<String> grants,
            ToolName tool,
            Json arguments,
            List<ToolName> before) {
        // A capability is an execution of its own, and the host's services are no tools.
        boolean readOnly = catalog.find(tool)
                .filter(found -> found.spec().hints().readOnly())
                .isPresent();
        if (!readOnly) {
            return false;
        }
        Situation situation = new Situation(tenant, () -> before, clock.instant()).running(capability);
        return gate.judge(new Grants(grants), tool, arguments, situation) instanceof CallGate.Verdict.Pass;
    }
}
