package org.sallyport.catalog;

import java.util.Optional;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.catalog.CapabilityContractChecker.BreachKind;
import org.sallyport.catalog.CapabilityContractChecker.ContractBreach;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/** Checks successful recorded calls against the current declaration of a tool. Not thread-safe. */
final class ToolContractCheck {
    private final String name;
    private final Optional<ToolSpec> current;
    private final JsonSchemaValidator schemas;
    private final boolean isPinned;
    private Optional<ArgumentSchema> argumentSchema = Optional.empty();
    private Optional<ContractBreach> breach = Optional.empty();
    private boolean schemaChanged;
    private boolean wasCalled;

    /** @param pinned the schema hash at the time when the version was published, if known */
    ToolContractCheck(String name, Optional<ToolSpec> now, Optional<String> pinned, JsonSchemaValidator schemas) {
        this.name = name;
        this.current = now;
        this.schemas = schemas;
        this.isPinned = pinned.isPresent();
        now.ifPresent(spec -> prepare(spec, pinned));
    }

    private void prepare(ToolSpec spec, Optional<String> pinned) {
        try {
            schemaChanged = pinned.isPresent() && !pinned.get().equals(CapabilityContractChecker.schemaHash(spec));
            argumentSchema = Optional.of(ArgumentSchema.compile(spec.inputSchema()));
        } catch (RuntimeException | StackOverflowError e) {
            // The schema comes from a server.
            breach = Optional.of(
                    new ContractBreach(name, BreachKind.ARGUMENTS, "its schema is not usable", Optional.empty()));
        }
    }

    /** Returns whether the breach is certain without recorded calls. */
    boolean isDecided() {
        return breach.isPresent() || (isPinned && current.isEmpty());
    }

    /** Checks a successful call with its arguments and its result. */
    void recordCall(ExecutionId run, Json arguments, Optional<Json> result) {
        wasCalled = true;
        if (breach.isPresent()) {
            return;
        }
        breach = current.isEmpty() ? Optional.of(goneBreach(Optional.of(run))) : checkCall(run, arguments, result);
    }

    private Optional<ContractBreach> checkCall(ExecutionId run, Json arguments, Optional<Json> result) {
        Optional<ContractBreach> refused = argumentSchema
                .flatMap(schema -> schema.validationError(arguments))
                .map(why -> new ContractBreach(
                        name,
                        BreachKind.ARGUMENTS,
                        "it would refuse arguments that it accepted before: " + why,
                        Optional.of(run)));
        return refused.isPresent() || !schemaChanged
                ? refused
                : current.flatMap(ToolSpec::outputSchema)
                        .filter(given ->
                                CatalogTool.findOutputSchemaProblem(given).isEmpty())
                        .flatMap(given -> result.flatMap(was -> schemas.validate(given, was)))
                        .map(violation -> new ContractBreach(
                                name,
                                BreachKind.RESULT,
                                "a recorded result does not match its output schema: result" + violation.pointer()
                                        + ": " + violation.reason(),
                                Optional.of(run)));
    }

    private ContractBreach goneBreach(Optional<ExecutionId> run) {
        return new ContractBreach(name, BreachKind.GONE, "the tool no longer exists", run);
    }

    /** Returns the breach; empty when there is none. */
    Optional<ContractBreach> breach() {
        if (breach.isPresent()) {
            return breach;
        } else if (current.isEmpty()) {
            return Optional.of(goneBreach(Optional.empty()));
        }
        return schemaChanged && !wasCalled
                ? Optional.of(new ContractBreach(
                        name,
                        BreachKind.CHANGED,
                        "its schemas have changed since the version was published, and there is no recorded run to"
                                + " check them with",
                        Optional.empty()))
                : Optional.empty();
    }
}
