package org.sallyport.catalog;

import java.util.Optional;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.tool.Json;
import org.sallyport.tool.PlainText;
import org.sallyport.tool.ToolSpec;

/**
 * A tool of the catalog.
 *
 * @param spec the declaration of its backend; without its schemas if the tool is unusable because of their length
 * @param backend its backend
 * @param identifier its identifier in scripts, unique within the backend
 * @param declaredName the name by which it is declared; may contain any characters
 * @param schema validates arguments; accepts all arguments if the tool is unusable
 * @param description the description for scripts and agents: {@code name}, {@code description}, {@code inputSchema},
 *     {@code outputSchema}, the hints, and {@code declaration} (TypeScript); {@code unusable} in place of the schemas
 *     if the tool is unusable, and {@code outputSchemaProblem} if the output schema is not read
 * @param schemaHash hash of its input and output schema; empty when they are unreadable
 * @param outputSchemaProblem why its output schema is not read; empty when it is read, or when there is none
 * @param unusable why the tool cannot be called; empty when it can
 */
public record CatalogTool(
        ToolSpec spec,
        CatalogBackend backend,
        String identifier,
        String declaredName,
        ArgumentSchema schema,
        Json description,
        Optional<String> schemaHash,
        Optional<String> outputSchemaProblem,
        Optional<String> unusable) {
    private static final Json ANY_SCHEMA = new Json("{}");
    private static final int MAX_REASON_LENGTH = 500;
    private static final String CHANGE_PENDING =
            "; its server declares another definition now, which waits until an administrator accepts it";

    /** Creates a tool whose identifier is its name. Throws if its schema cannot be used. */
    static CatalogTool of(ToolSpec spec, CatalogBackend backend) {
        String name = spec.name().tool();
        return usable(new NamedTool(spec, name, name, Optional.empty()), backend);
    }

    /** Creates a tool, which is unusable if its schema cannot be used. */
    static CatalogTool of(NamedTool tool, CatalogBackend backend) {
        Optional<String> problem = tool.unusable().or(() -> findLengthProblem(tool.spec()));
        if (problem.isEmpty()) {
            try {
                return usable(tool, backend);
            } catch (RuntimeException | StackOverflowError e) {
                problem = Optional.of(schemaProblem(e));
            }
        }
        return unusable(tool, backend, problem.orElseThrow());
    }

    private static CatalogTool usable(NamedTool tool, CatalogBackend backend) {
        ToolSpec spec = tool.spec();
        Optional<String> outputProblem = spec.outputSchema().flatMap(CatalogTool::findOutputSchemaProblem);
        return new CatalogTool(
                spec,
                backend,
                tool.identifier(),
                tool.declaredName(),
                ArgumentSchema.compile(spec.inputSchema()),
                ToolDescription.of(spec, backend.identifier(), tool.identifier(), outputProblem),
                CapabilityContractChecker.tryHash(spec),
                outputProblem,
                Optional.empty());
    }

    /** Returns why an output schema cannot be read. The tool can be called all the same: results are not checked. */
    static Optional<String> findOutputSchemaProblem(Json schema) {
        if (schema.text().length() > ToolCatalog.MAX_SCHEMA_LENGTH) {
            return Optional.of("it has more than " + ToolCatalog.MAX_SCHEMA_LENGTH + " characters");
        }
        try {
            ArgumentSchema.compile(schema);
            return Optional.empty();
        } catch (RuntimeException | StackOverflowError e) {
            return Optional.of(PlainText.singleLine(reason(e), MAX_REASON_LENGTH));
        }
    }

    /** The problem comes from a server, or quotes a schema of it. */
    private static CatalogTool unusable(NamedTool tool, CatalogBackend backend, String problem) {
        ToolSpec spec = tool.spec();
        String reason = PlainText.singleLine(problem, MAX_REASON_LENGTH) + (tool.changePending() ? CHANGE_PENDING : "");
        ToolSpec shown = findLengthProblem(spec).isEmpty()
                ? spec
                : new ToolSpec(spec.name(), spec.description(), ANY_SCHEMA, Optional.empty(), spec.hints());
        return new CatalogTool(
                shown,
                backend,
                tool.identifier(),
                tool.declaredName(),
                ArgumentSchema.compile(ANY_SCHEMA),
                ToolDescription.ofUnusable(spec, backend.identifier(), tool.identifier(), reason),
                Optional.empty(),
                Optional.empty(),
                Optional.of(reason));
    }

    private static Optional<String> findLengthProblem(ToolSpec spec) {
        return spec.inputSchema().text().length() > ToolCatalog.MAX_SCHEMA_LENGTH
                ? Optional.of("its input schema has more than " + ToolCatalog.MAX_SCHEMA_LENGTH + " characters")
                : Optional.empty();
    }

    private static String schemaProblem(Throwable failure) {
        return "its input schema cannot be used: " + reason(failure);
    }

    private static String reason(Throwable failure) {
        return failure instanceof StackOverflowError ? "it is nested too deeply" : String.valueOf(failure.getMessage());
    }

    /** Returns the path in {@code tools} of scripts, such as {@code everything.get_sum}. */
    public String path() {
        return backend.identifier() + "." + identifier;
    }

    /** Returns the tool as scripts see it. */
    GuestTool toGuestTool() {
        return new GuestTool(
                spec.name().backend(),
                spec.name().tool(),
                description.text(),
                backend.identifier(),
                identifier,
                declaredName);
    }
}
