package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.capability.UsedTool;
import org.sallyport.catalog.CapabilityContractChecker;

/** Maps capabilities to JSON. */
final class CapabilityMapper {
    private static final String BASE = "/api/v1/capabilities/";

    private CapabilityMapper() {}

    /** One version, without its code. */
    static ObjectNode details(Capability capability) {
        ObjectNode json = ExecutionMapper.object();
        json.put("name", capability.name());
        json.put("version", capability.version().toString());
        json.put("description", capability.definition().description());
        json.put("language", capability.definition().language().name().toLowerCase(Locale.ROOT));
        json.put("hash", capability.hash());
        json.putArray("tools");
        capability.definition().tools().forEach(json.withArray("tools")::add);
        json.putArray("env");
        capability.definition().env().forEach(json.withArray("env")::add);
        capability.definition().inputSchema().ifPresent(schema -> json.set("inputSchema", ExecutionMapper.raw(schema)));
        capability
                .definition()
                .outputSchema()
                .ifPresent(schema -> json.set("outputSchema", ExecutionMapper.raw(schema)));
        capability.definition().sandbox().ifPresent(mode -> json.put("sandbox", mode.text()));
        json.put("tested", capability.definition().tests().isPresent());
        ObjectNode contract = json.putObject("contract");
        new TreeMap<>(capability.contract()).forEach(contract::put);
        capability.testRun().ifPresent(run -> json.put("testRun", run.toString()));
        json.put("submittedBy", capability.publisher());
        json.put("publishedAt", capability.publishedAt().toString());
        capability
                .deprecation()
                .ifPresent(why -> json.putObject("deprecated")
                        .put("reason", why.reason())
                        .put("at", why.at().toString()));
        String self = path(capability);
        json.putObject("links").put("self", self).put("code", self + "/code").put("deprecate", self + "/deprecate");
        return json;
    }

    /**
     * The tools that executions of a version have used.
     *
     * @param states how the schemas of each tool have changed since
     */
    static ArrayNode usedTools(List<UsedTool> tools, Map<String, CapabilityContractChecker.UsedToolState> states) {
        ArrayNode list = ExecutionMapper.object().putArray("all");
        tools.forEach(each -> list.addObject()
                .put("tool", each.tool())
                .put("hash", each.hash())
                .put("since", each.hashSince().toString())
                .put("lastUsedAt", each.lastUsedAt().toString())
                .put(
                        "schema",
                        states.getOrDefault(each.tool(), CapabilityContractChecker.UsedToolState.UNKNOWN)
                                .name()
                                .toLowerCase(Locale.ROOT)));
        return list;
    }

    /** The reasons why a version would break. */
    static ArrayNode breaches(List<CapabilityContractChecker.ContractBreach> breaches) {
        ArrayNode list = ExecutionMapper.object().putArray("all");
        breaches.forEach(breach -> list.add(breach(breach)));
        return list;
    }

    static ObjectNode breach(CapabilityContractChecker.ContractBreach breach) {
        ObjectNode json = ExecutionMapper.object()
                .put("tool", breach.tool())
                .put("kind", breach.kind().name().toLowerCase(Locale.ROOT))
                .put("reason", breach.reason());
        breach.run().ifPresent(run -> json.put("execution", run.toString()));
        return json;
    }

    /** One broken version of a list. */
    static ObjectNode brokenVersion(SemanticVersion version, List<CapabilityContractChecker.ContractBreach> breaches) {
        ObjectNode json = ExecutionMapper.object().put("version", version.toString());
        json.set("breaches", breaches(breaches));
        return json;
    }

    static String path(Capability capability) {
        return BASE + capability.name() + "/versions/" + capability.version();
    }

    /** The code of a version. */
    static ObjectNode code(Capability capability) {
        ObjectNode json = ExecutionMapper.object()
                .put("name", capability.name())
                .put("version", capability.version().toString())
                .put("language", capability.definition().language().name().toLowerCase(Locale.ROOT))
                .put("hash", capability.hash())
                .put("code", capability.definition().code());
        capability.definition().tests().ifPresent(tests -> json.put("tests", tests));
        return json;
    }

    /** All versions of a name. */
    static ObjectNode versions(String name, List<CapabilityVersionSummary> versions) {
        ObjectNode json = withAliases(name, versions);
        json.putArray("versions");
        versions.stream()
                .sorted(Comparator.comparing(CapabilityVersionSummary::version).reversed())
                .forEach(each -> {
                    ObjectNode shown = version(each);
                    shown.put("deprecated", each.deprecated());
                    json.withArray("versions").add(shown);
                });
        return json;
    }

    /** A name in a list, with its stable version; without one, with its latest or else its highest version. */
    static ObjectNode summary(String name, List<CapabilityVersionSummary> versions) {
        ObjectNode json = withAliases(name, versions);
        CapabilityVersionSummary.resolveAlias(CapabilityVersionSummary.STABLE, versions)
                .or(() -> CapabilityVersionSummary.resolveAlias(CapabilityVersionSummary.LATEST, versions))
                .or(() -> versions.stream().max(Comparator.comparing(CapabilityVersionSummary::version)))
                .ifPresent(each -> json.setAll(version(each).put("deprecated", each.deprecated())));
        return json;
    }

    private static ObjectNode withAliases(String name, List<CapabilityVersionSummary> versions) {
        return ExecutionMapper.object()
                .put("name", name)
                .put(CapabilityVersionSummary.LATEST, alias(CapabilityVersionSummary.LATEST, versions))
                .put(CapabilityVersionSummary.STABLE, alias(CapabilityVersionSummary.STABLE, versions));
    }

    private static @Nullable String alias(String alias, List<CapabilityVersionSummary> versions) {
        Optional<CapabilityVersionSummary> found = CapabilityVersionSummary.resolveAlias(alias, versions);
        return found.map(each -> each.version().toString()).orElse(null);
    }

    private static ObjectNode version(CapabilityVersionSummary version) {
        ObjectNode json = ExecutionMapper.object()
                .put("version", version.version().toString())
                .put("description", version.description())
                .put("language", version.language().name().toLowerCase(Locale.ROOT))
                .put("hash", version.hash());
        json.putArray("tools");
        version.tools().forEach(json.withArray("tools")::add);
        json.put("submittedBy", version.publisher());
        return json.put("publishedAt", version.publishedAt().toString());
    }
}
