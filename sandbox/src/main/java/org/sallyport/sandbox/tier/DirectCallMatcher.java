package org.sallyport.sandbox.tier;

import java.util.Optional;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.TestScript;
import org.sallyport.sandbox.source.InvalidScriptException;
import org.sallyport.sandbox.source.JsonCallParser;
import org.sallyport.sandbox.source.ParsedScript;
import org.sallyport.sandbox.source.SourcePosition;
import org.sallyport.sandbox.source.SourceText;

/** A script that by its text is one tool call; which tool, and whether it is one at all, depends on the tools there are. */
sealed interface DirectCallMatcher {

    /** The call, if its names are those of tools. */
    Optional<DirectCall> resolveCall(ToolNameLookup names);

    /** What {@code script} is, if it is one call with arguments that JSON can carry. Linear in the text. */
    static Optional<DirectCallMatcher> of(Script script) {
        if (TestScript.parse(script).isPresent()) {
            return Optional.empty();
        }
        SourceText source;
        try {
            source = SourceText.of(script);
        } catch (InvalidScriptException invalid) {
            return Optional.empty();
        }
        Optional<ParsedScript.JsonToolCall> direct = JsonCallParser.parse(source.code());
        if (direct.isPresent()) {
            return stringify(JsValueParser.parse(direct.get().arguments()))
                    .map(arguments -> new JsonCallMatch(direct.get().tool(), arguments));
        }
        return ParsedCall.parse(source.code(), source.language() == SourceLanguage.TYPESCRIPT)
                .flatMap(simple -> stringify(simple.argument().orElse(JsValue.EMPTY_OBJECT))
                        .map(arguments -> new SimpleCallMatch(simple, arguments)));
    }

    private static Optional<JsonStringifier.StringifiedJson> stringify(JsValue value) {
        return JsonStringifier.stringify("arguments", value, Long.MAX_VALUE)
                        instanceof JsonStringifier.StringifiedJson text
                ? Optional.of(text)
                : Optional.empty();
    }

    /** The form that is JSON. */
    record JsonCallMatch(String name, JsonStringifier.StringifiedJson arguments) implements DirectCallMatcher {
        @Override
        public Optional<DirectCall> resolveCall(ToolNameLookup names) {
            GuestTool tool = names.splitName(name);
            return tool.backend().equals(HostServices.BACKEND)
                    ? Optional.empty()
                    : Optional.of(new DirectCall(
                            Tier.DIRECT, tool, arguments.json(), arguments.size(), true, SourcePosition.UNKNOWN));
        }
    }

    /** The form that is a statement. */
    record SimpleCallMatch(ParsedCall script, JsonStringifier.StringifiedJson arguments) implements DirectCallMatcher {
        @Override
        public Optional<DirectCall> resolveCall(ToolNameLookup names) {
            return names.resolve(script.path())
                    .map(tool -> new DirectCall(
                            Tier.SIMPLE,
                            tool,
                            arguments.json(),
                            arguments.size(),
                            script.returnsResult(),
                            script.position()));
        }
    }
}
