package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.sallyport.web.api.JsonMembers;

/** Reads the names of saved scripts, and reduces their REST representation to the members that agents need. */
final class ScriptView {
    static final String NAME_ARGUMENT = "name";

    private static final int MAX_NAME_LENGTH = 200;
    private static final List<String> MEMBERS =
            List.of(NAME_ARGUMENT, "description", "language", "hash", "savedAt", "usedAt", "execution", "code");

    private ScriptView() {}

    static String readName(JsonMembers arguments) {
        return arguments
                .text(NAME_ARGUMENT, MAX_NAME_LENGTH)
                .orElseThrow(() -> arguments.invalidMember(NAME_ARGUMENT, "is missing: the name of the saved script"));
    }

    static ObjectNode script(ObjectNode represented) {
        return represented.retain(MEMBERS);
    }

    static ObjectNode page(ObjectNode page) {
        for (JsonNode item : page.path("items")) {
            script((ObjectNode) item);
        }
        return page;
    }
}
