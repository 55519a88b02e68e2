package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.script.SavedScript;
import org.sallyport.script.ScriptStore;
import org.sallyport.script.ScriptSummary;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Application service for saved scripts, shared by REST and MCP. Throws {@link ProblemException} if a request is
 * refused or the tenant has no such script. Thread-safe.
 */
@ApplicationScoped
public class ScriptFacade {
    private static final String BASE = "/api/v1/scripts/";
    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 200;
    private static final int MAX_SEARCH_LENGTH = 200;

    @Inject
    ScriptStore store;

    /**
     * Lists one page of scripts by name, in the form of {@code GET /scripts}.
     *
     * @param search part of the name or the description, ignoring case; null for all
     * @param limit maximum number of scripts, as text; null for the default
     * @param cursor the cursor that the previous page returned; null for the first page
     */
    public ObjectNode list(Caller caller, @Nullable String search, @Nullable String limit, @Nullable String cursor) {
        int size = (int) Math.min(
                MAX_PAGE_SIZE, RequestParameters.longInRange("limit", limit, DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        String words = search == null ? "" : search.strip();
        if (words.length() > MAX_SEARCH_LENGTH) {
            throw RequestParameters.invalidParameter("q", "must have at most " + MAX_SEARCH_LENGTH + " characters");
        }
        List<ScriptSummary> page = store.list(caller.tenant(), words, Cursor.decodeName(cursor), size + 1);
        boolean more = page.size() > size;
        List<ScriptSummary> shown = more ? page.subList(0, size) : page;
        return ExecutionMapper.list(
                shown.stream().map(ScriptFacade::summary).toList(),
                more ? Optional.of(Cursor.encodeName(shown.get(size - 1).name())) : Optional.empty());
    }

    /** The script with its code, in the form of {@code GET /scripts/{name}}. */
    public ObjectNode show(Caller caller, String name) {
        SavedScript script = find(caller, name);
        return summary(script.summary()).put("code", script.code());
    }

    /** Deletes the script. */
    public void delete(Caller caller, String name) {
        if (!store.delete(caller.tenant(), name)) {
            throw notFound(name);
        }
    }

    SavedScript find(Caller caller, String name) {
        return store.find(caller.tenant(), name).orElseThrow(() -> notFound(name));
    }

    private static ProblemException notFound(String name) {
        return new ProblemException(
                ProblemType.NOT_FOUND, "there is no script '" + RequestContexts.abbreviate(name) + "'");
    }

    private static ObjectNode summary(ScriptSummary script) {
        ObjectNode json = ExecutionMapper.object()
                .put("name", script.name())
                .put("description", script.description())
                .put("language", script.language().name().toLowerCase(Locale.ROOT))
                .put("hash", script.hash())
                .put("savedBy", script.savedBy())
                .put("execution", script.lastRun().toString())
                .put("savedAt", script.savedAt().toString())
                .put("usedAt", script.usedAt().toString());
        String self = BASE + script.name();
        json.putObject("links").put("self", self).put("capability", self + "/capability");
        return json;
    }
}
