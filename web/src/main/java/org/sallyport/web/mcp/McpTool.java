package org.sallyport.web.mcp;

import java.util.concurrent.CompletionStage;

/**
 * A tool that agents can call. To add one, write a class like those in this package ({@code @Dependent}, with the roles
 * that may use it as {@link org.sallyport.web.security.RolesAllowed}) and describe it under its name in
 * {@code tools.json}.
 */
interface McpTool {
    /** The name of the tool, as in {@code tools.json}. */
    String name();

    /**
     * Runs the tool for a caller that is authorized. Invalid arguments, and every error that REST would answer with a
     * problem, are thrown or fail the stage.
     */
    CompletionStage<ToolOutcome> call(ToolCallContext dialog);
}
