package org.sallyport.web.mcp;

import java.util.concurrent.CompletionStage;

/**
 * Something that agents can do. To add one, write a class like those here ({@code @Dependent}, with the roles that may use it as
 * {@link org.sallyport.web.security.RolesAllowed}) and describe it under its name in {@code tools.json}.
 */
interface McpTool {
    /** Its name, as in {@code tools.json}. */
    String name();

    /**
     * Does it for a caller who may. What is wrong with the arguments, and whatever else REST would answer with a problem, is
     * thrown or is the failure of the stage.
     */
    CompletionStage<ToolOutcome> call(ToolCallContext dialog);
}
