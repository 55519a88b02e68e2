package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;

/** A tool of the catalog; a view of its JSON, which is kept whole. */
public record ApiTool(JsonNode json) {
    /** Its full name, {@code backend.tool}, as grants and policies have it. */
    public String name() {
        String backend = ApiJson.text(json, "backend");
        String name = ApiJson.text(json, json.hasNonNull("name") ? "name" : "tool");
        return backend.isEmpty() || name.startsWith(backend + ".") ? name : backend + "." + name;
    }

    public String description() {
        return ApiJson.text(json, "description");
    }

    /** Whether the tool says that it changes nothing. */
    public boolean readOnly() {
        return hint("readOnly");
    }

    /** Whether the tool says that calling twice is as good as once. */
    public boolean idempotent() {
        return hint("idempotent");
    }

    /** Whether the tool says that it may destroy something. */
    public boolean destructive() {
        return hint("destructive");
    }

    private boolean hint(String name) {
        return json.path(name).asBoolean(json.path("hints").path(name).asBoolean(false));
    }
}
