package org.sallyport.web.api;

import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The raw query parameters that select executions; {@link ExecutionListQuery} parses them. */
public class ExecutionSelectionParameters {
    /** The names of all parameters. */
    static final Set<String> NAMES =
            Set.of("state", "capability", "label", "tool", "rerunOf", "parent", "since", "q", "submittedBy", "cursor");

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

    @QueryParam("q")
    @Nullable List<String> text;

    @QueryParam("submittedBy")
    @Nullable List<String> submittedBy;

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
        put(all, "q", text);
        put(all, "submittedBy", submittedBy);
        put(all, "cursor", cursor);
        return all;
    }

    static void put(MultivaluedMap<String, String> all, String name, @Nullable List<String> values) {
        if (values != null && !values.isEmpty()) {
            all.put(name, values);
        }
    }
}
