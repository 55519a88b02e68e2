package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Batch options that come as query parameters, because the body is an array or lines.
 *
 * @param capability the capability of which each line of the body has the arguments
 */
record QueryBatchOptions(
        @Nullable String atomic,
        @Nullable String maxParallel,
        @Nullable String onFailure,
        @Nullable String shareReads,
        @Nullable String capability,
        @Nullable String version,
        @Nullable String integrity,
        @Nullable String coalesce)
        implements BatchOptions {
    /** Its format must never change for the same request. */
    @Override
    public String fingerprint() {
        return "Options[atomic=" + atomic + ", maxParallel=" + maxParallel + ", onFailure=" + onFailure
                + (shareReads == null ? "" : ", shareReads=" + shareReads)
                + (capability == null
                        ? ""
                        : ", capability=" + capability + ", version=" + version + ", integrity=" + integrity)
                + (coalesce == null ? "" : ", coalesce=" + coalesce)
                + "]";
    }

    @Override
    public ObjectNode toMembers() {
        ObjectNode members = ExecutionMapper.object();
        if (atomic != null) {
            members.put("atomic", RequestParameters.flag("atomic", atomic));
        }
        if (coalesce != null) {
            members.put("coalesce", RequestParameters.flag("coalesce", coalesce));
        }
        if (shareReads != null) {
            members.put(BatchBodyReader.SHARE_READS, RequestParameters.flag(BatchBodyReader.SHARE_READS, shareReads));
        }
        if (maxParallel != null) {
            members.put(
                    "maxParallel",
                    RequestParameters.longInRange("maxParallel", maxParallel, 1, 1, BatchReader.MAX_PARALLEL));
        }
        putIfPresent(members, "onFailure", onFailure);
        putIfPresent(members, "capability", capability);
        putIfPresent(members, "version", version);
        putIfPresent(members, "integrity", integrity);
        return members;
    }

    private static void putIfPresent(ObjectNode members, String name, @Nullable String value) {
        if (value != null) {
            members.put(name, value);
        }
    }

    @Override
    public boolean namesCapability() {
        return capability != null;
    }
}
