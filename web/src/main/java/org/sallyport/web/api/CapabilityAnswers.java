package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.sallyport.capability.Capability;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.capability.VersionSummary;
import org.sallyport.catalog.Contracts;

/** Shows capabilities as JSON. */
final class CapabilityAnswers {
    private static final String BASE = "/api/v1/capabilities/";

    private CapabilityAnswers() {}

    /** One version, without its code. */
    static ObjectNode whole(Capability capability) {
        ObjectNode json = Representation.object();
        json.put("name", capability.name());
        json.put("version", capability.version().toString());
        json.put("description", capability.content().description());
        json.put("language", capability.content().language().name().toLowerCase(Locale.ROOT));
        json.put("hash", capability.hash());
        json.putArray("tools");
        capability.content().tools().forEach(json.withArray("tools")::add);
        json.putArray("env");
        capability.content().env().forEach(json.withArray("env")::add);
        capability.content().inputSchema().ifPresent(schema -> json.set("inputSchema", Representation.raw(schema)));
        capability.content().outputSchema().ifPresent(schema -> json.set("outputSchema", Representation.raw(schema)));
        json.put("tested", capability.content().tests().isPresent());
        ObjectNode contract = json.putObject("contract");
        new TreeMap<>(capability.contract()).forEach(contract::put);
        capability.testRun().ifPresent(run -> json.put("testRun", run.toString()));
        json.put("publisher", capability.publisher());
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

    /** Why it would break. */
    static ArrayNode breaches(List<Contracts.Breach> breaches) {
        ArrayNode list = Representation.object().putArray("all");
        breaches.forEach(breach -> list.add(breach(breach)));
        return list;
    }

    static ObjectNode breach(Contracts.Breach breach) {
        ObjectNode json = Representation.object()
                .put("tool", breach.tool())
                .put("kind", breach.kind().name().toLowerCase(Locale.ROOT))
                .put("reason", breach.reason());
        breach.run().ifPresent(run -> json.put("execution", run.toString()));
        return json;
    }

    /** The same of a version in a list. */
    static ObjectNode broken(SemanticVersion version, List<Contracts.Breach> breaches) {
        ObjectNode json = Representation.object().put("version", version.toString());
        json.set("breaches", breaches(breaches));
        return json;
    }

    static String path(Capability capability) {
        return BASE + capability.name() + "/versions/" + capability.version();
    }

    /** What it runs. */
    static ObjectNode code(Capability capability) {
        ObjectNode json = Representation.object()
                .put("name", capability.name())
                .put("version", capability.version().toString())
                .put("language", capability.content().language().name().toLowerCase(Locale.ROOT))
                .put("hash", capability.hash())
                .put("code", capability.content().code());
        capability.content().tests().ifPresent(tests -> json.put("tests", tests));
        return json;
    }

    /** All versions of a name. */
    static ObjectNode versions(String name, List<VersionSummary> versions) {
        ObjectNode json = named(name, versions);
        json.putArray("versions");
        versions.stream()
                .sorted(Comparator.comparing(VersionSummary::version).reversed())
                .forEach(each -> {
                    ObjectNode shown = version(each);
                    shown.put("deprecated", each.deprecated());
                    json.withArray("versions").add(shown);
                });
        return json;
    }

    /** A name in a list, with its version for everybody. */
    static ObjectNode item(String name, List<VersionSummary> versions) {
        ObjectNode json = named(name, versions);
        VersionSummary.of(VersionSummary.STABLE, versions)
                .or(() -> VersionSummary.of(VersionSummary.LATEST, versions))
                .or(() -> versions.stream().max(Comparator.comparing(VersionSummary::version)))
                .ifPresent(each -> json.setAll(version(each).put("deprecated", each.deprecated())));
        return json;
    }

    private static ObjectNode named(String name, List<VersionSummary> versions) {
        return Representation.object()
                .put("name", name)
                .put(VersionSummary.LATEST, alias(VersionSummary.LATEST, versions))
                .put(VersionSummary.STABLE, alias(VersionSummary.STABLE, versions));
    }

    private static @Nullable String alias(String alias, List<VersionSummary> versions) {
        Optional<VersionSummary> found = VersionSummary.of(alias, versions);
        return found.map(each -> each.version().toString()).orElse(null);
    }

    private static ObjectNode version(VersionSummary version) {
        ObjectNode json = Representation.object()
                .put("version", version.version().toString())
                .put("description", version.description())
                .put("language", version.language().name().toLowerCase(Locale.ROOT))
                .put("hash", version.hash());
        json.putArray("tools");
        version.tools().forEach(json.withArray("tools")::add);
        return json.put("publishedAt", version.publishedAt().toString());
    }
}
