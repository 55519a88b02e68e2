package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;

/** A tool of the catalog: a view of its complete JSON document. */
public record ApiTool(JsonNode json) {
    /** Returns the full name, {@code backend.tool}, as grants and policy rules use it. */
    public String name() {
        String backend = ApiJson.text(json, "backend");
        String name = ApiJson.text(json, json.hasNonNull("name") ? "name" : "tool");
        return backend.isEmpty() || name.startsWith(backend + ".") ? name : backend + "." + name;
    }

    public String description() {
        return ApiJson.text(json, "description");
    }

    /** Returns whether the tool declares that it changes nothing. */
    public boolean readOnly() {
        return hint("readOnly");
    }

    /** Returns whether the tool declares that a repeated call has no further effect. */
    public boolean idempotent() {
        return hint("idempotent");
    }

    /** Returns whether the tool declares that it may destroy data. */
    public boolean destructive() {
        return hint("destructive");
    }

    private boolean hint(String name) {
        return json.path(name).asBoolean(json.path("hints").path(name).asBoolean(false));
    }
}
