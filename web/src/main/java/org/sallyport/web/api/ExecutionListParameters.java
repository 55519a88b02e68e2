package org.sallyport.web.api;

import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MultivaluedMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The raw query parameters of a list of executions; {@link ExecutionListQuery} parses them. */
public final class ExecutionListParameters extends ExecutionSelectionParameters {
    @QueryParam("finishedWithin")
    @Nullable List<String> finishedWithin;

    @QueryParam("recent")
    @Nullable List<String> recent;

    @QueryParam("collapseBatches")
    @Nullable List<String> collapseBatches;

    @QueryParam("limit")
    @Nullable List<String> limit;

    @Override
    MultivaluedMap<String, String> byName() {
        MultivaluedMap<String, String> all = super.byName();
        put(all, "finishedWithin", finishedWithin);
        put(all, "recent", recent);
        put(all, "collapseBatches", collapseBatches);
        put(all, "limit", limit);
        return all;
    }
}
