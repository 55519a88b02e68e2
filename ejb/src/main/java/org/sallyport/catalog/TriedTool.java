package org.sallyport.catalog;

import java.util.Optional;
import org.sallyport.capability.SchemaCheck;
import org.sallyport.catalog.Contracts.Breach;
import org.sallyport.catalog.Contracts.Kind;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolSpec;

/** A tool as it is declared now, and what calls that went well say of it. Of one thread. */
final class TriedTool {
    private final String name;
    private final Optional<ToolSpec> now;
    private final SchemaCheck schemas;
    private final boolean relied;
    private Optional<ArgumentSchema> taken = Optional.empty();
    private Optional<Breach> breach = Optional.empty();
    private boolean changed;
    private boolean called;

    /** @param pinned the hash of what it was when the version was published, if that is known */
    TriedTool(String name, Optional<ToolSpec> now, Optional<String> pinned, SchemaCheck schemas) {
        this.name = name;
        this.now = now;
        this.schemas = schemas;
        this.relied = pinned.isPresent();
        now.ifPresent(spec -> prepare(spec, pinned));
    }

    private void prepare(ToolSpec spec, Optional<String> pinned) {
        try {
            changed = pinned.isPresent() && !pinned.get().equals(Contracts.hash(spec));
            taken = Optional.of(ArgumentSchema.compile(spec.inputSchema()));
        } catch (RuntimeException | StackOverflowError e) {
            // A server wrote it.
            breach = Optional.of(new Breach(name, Kind.ARGUMENTS, "its schema is not usable", Optional.empty()));
        }
    }

    /** Whether it breaks what relies on it, whatever calls would say. */
    boolean isSettled() {
        return breach.isPresent() || (relied && now.isEmpty());
    }

    /** It was called so, and gave that. */
    void called(ExecutionId run, Json arguments, Optional<Json> result) {
        called = true;
        if (breach.isPresent()) {
            return;
        }
        breach = now.isEmpty() ? Optional.of(gone(Optional.of(run))) : fault(run, arguments, result);
    }

    private Optional<Breach> fault(ExecutionId run, Json arguments, Optional<Json> result) {
        Optional<Breach> refused = taken.flatMap(schema -> schema.fault(arguments))
                .map(why -> new Breach(name, Kind.ARGUMENTS, "it would refuse what it took: " + why, Optional.of(run)));
        return refused.isPresent() || !changed
                ? refused
                : now.flatMap(ToolSpec::outputSchema)
                        .flatMap(given -> result.flatMap(was -> schemas.fault(given, was)))
                        .map(fault -> new Breach(
                                name,
                                Kind.RESULT,
                                "it gives something else than it gave: result" + fault.pointer() + ": "
                                        + fault.reason(),
                                Optional.of(run)));
    }

    private Breach gone(Optional<ExecutionId> run) {
        return new Breach(name, Kind.GONE, "there is no such tool any more", run);
    }

    /** Why it would break what relies on it. */
    Optional<Breach> breach() {
        if (breach.isPresent()) {
            return breach;
        } else if (now.isEmpty()) {
            return Optional.of(gone(Optional.empty()));
        }
        return changed && !called
                ? Optional.of(new Breach(
                        name,
                        Kind.CHANGED,
                        "its schemas have changed since the version was published, and no run is there to try them"
                                + " with",
                        Optional.empty()))
                : Optional.empty();
    }
}
