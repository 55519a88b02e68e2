package org.sallyport.sandbox.tier;

import java.util.Optional;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.TestScript;
import org.sallyport.sandbox.source.InvalidScriptException;
import org.sallyport.sandbox.source.JsonCall;
import org.sallyport.sandbox.source.Place;
import org.sallyport.sandbox.source.ReadScript;
import org.sallyport.sandbox.source.SourceText;

/** A script that by its text is one tool call; which tool, and whether it is one at all, depends on the tools there are. */
sealed interface Recognition {

    /** The call, if its names are those of tools. */
    Optional<PlannedCall> call(ToolNames names);

    /** What {@code script} is, if it is one call with arguments that JSON can carry. Linear in the text. */
    static Optional<Recognition> of(Script script) {
        if (TestScript.in(script).isPresent()) {
            return Optional.empty();
        }
        SourceText source;
        try {
            source = SourceText.of(script);
        } catch (InvalidScriptException invalid) {
            return Optional.empty();
        }
        Optional<ReadScript.ToolCall> direct = JsonCall.read(source.code());
        if (direct.isPresent()) {
            return encoded(JsonTree.read(direct.get().arguments()))
                    .map(arguments -> new Direct(direct.get().tool(), arguments));
        }
        return SimpleScript.read(source.code(), source.language() == Language.TYPESCRIPT)
                .flatMap(simple -> encoded(simple.argument().orElse(JsValue.EMPTY))
                        .map(arguments -> new Simple(simple, arguments)));
    }

    private static Optional<Encoding.Text> encoded(JsValue value) {
        return Encoding.of("arguments", value, Long.MAX_VALUE) instanceof Encoding.Text text
                ? Optional.of(text)
                : Optional.empty();
    }

    /** The form that is JSON. */
    record Direct(String name, Encoding.Text arguments) implements Recognition {
        @Override
        public Optional<PlannedCall> call(ToolNames names) {
            GuestTool tool = names.split(name);
            return tool.backend().equals(HostServices.BACKEND)
                    ? Optional.empty()
                    : Optional.of(new PlannedCall(
                            Tier.DIRECT, tool, arguments.json(), arguments.size(), true, Place.UNKNOWN));
        }
    }

    /** The form that is a statement. */
    record Simple(SimpleScript script, Encoding.Text arguments) implements Recognition {
        @Override
        public Optional<PlannedCall> call(ToolNames names) {
            return names.resolve(script.path())
                    .map(tool -> new PlannedCall(
                            Tier.SIMPLE, tool, arguments.json(), arguments.size(), script.returned(), script.place()));
        }
    }
}
