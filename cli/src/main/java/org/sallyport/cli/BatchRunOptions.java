package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sallyport.cli.api.ApiJson;
import picocli.CommandLine.Option;

/** The options of {@code batch}, and of {@code schedules create} with rows. */
final class BatchRunOptions {
    @Option(
            names = "--capability",
            paramLabel = "NAME[@VERSION]",
            description = "Capability that the rows of the file run. Without a version: stable.")
    private @Nullable String capability;

    @Option(names = "--max-parallel", paramLabel = "N", description = "Maximum number of executions at the same time.")
    private @Nullable Integer maxParallel;

    @Option(names = "--stop", description = "After the first failed item, start no further items.")
    private boolean stop;

    @Option(names = "--atomic", description = "Accept all items or none.")
    private boolean atomic;

    @Option(
            names = "--coalesce",
            description = "Run equal rows once if their capability can only read: one execution answers them all.")
    private boolean coalesce;

    @Option(names = "--share-reads", description = "If several items make the same read-only call, send it only once.")
    private boolean shareReads;

    /** Returns whether the rows have a capability. */
    boolean namesCapability() {
        return capability != null;
    }

    /** Returns the parameters of a submission; those without an option are absent. */
    Map<String, String> toParameters() {
        Map<String, String> options = new LinkedHashMap<>();
        if (capability != null) {
            int at = capability.indexOf('@');
            options.put("capability", at < 0 ? capability : capability.substring(0, at));
            if (at >= 0) {
                options.put("version", capability.substring(at + 1));
            }
        }
        if (maxParallel != null) {
            options.put("maxParallel", maxParallel.toString());
        }
        if (stop) {
            options.put("onFailure", "stop");
        }
        if (atomic) {
            options.put("atomic", "true");
        }
        if (coalesce) {
            options.put("coalesce", "true");
        }
        if (shareReads) {
            options.put("shareReads", "true");
        }
        return options;
    }

    /** Returns the same as members of a JSON object. */
    ObjectNode toMembers() {
        ObjectNode members = ApiJson.object();
        toParameters().forEach((name, value) -> {
            switch (name) {
                case "maxParallel" -> members.put(name, Integer.parseInt(value));
                case "atomic", "coalesce", "shareReads" -> members.put(name, true);
                default -> members.put(name, value);
            }
        });
        return members;
    }
}
