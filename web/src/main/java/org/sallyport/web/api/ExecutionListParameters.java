package org.sallyport.web.api;

import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The raw query parameters of a list of executions; {@link ExecutionListQuery} parses them. */
public final class ExecutionListParameters {
    @QueryParam("state")
    @Nullable List<String> states;

    @QueryParam("capability")
    @Nullable List<String> capability;

    @QueryParam("label")
    @Nullable List<String> labels;

    @QueryParam("tool")
    @Nullable List<String> tools;

    @QueryParam("rerunOf")
    @Nullable List<String> rerunOf;

    @QueryParam("parent")
    @Nullable List<String> parent;

    @QueryParam("since")
    @Nullable List<String> since;

    @QueryParam("finishedWithin")
    @Nullable List<String> finishedWithin;

    @QueryParam("q")
    @Nullable List<String> text;

    @QueryParam("submittedBy")
    @Nullable List<String> submittedBy;

    @QueryParam("collapseBatches")
    @Nullable List<String> collapseBatches;

    @QueryParam("limit")
    @Nullable List<String> limit;

    @QueryParam("cursor")
    @Nullable List<String> cursor;

    MultivaluedMap<String, String> byName() {
        MultivaluedMap<String, String> all = new MultivaluedHashMap<>();
        put(all, "state", states);
        put(all, "capability", capability);
        put(all, "label", labels);
        put(all, "tool", tools);
        put(all, "rerunOf", rerunOf);
        put(all, "parent", parent);
        put(all, "since", since);
        put(all, "finishedWithin", finishedWithin);
        put(all, "q", text);
        put(all, "submittedBy", submittedBy);
        put(all, "collapseBatches", collapseBatches);
        put(all, "limit", limit);
        put(all, "cursor", cursor);
        return all;
    }

    private static void put(MultivaluedMap<String, String> all, String name, @Nullable List<String> values) {
        if (values != null && !values.isEmpty()) {
            all.put(name, values);
        }
    }
}
