package org.sallyport.sandbox.directcall;

import java.util.Optional;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.TestScript;
import org.sallyport.sandbox.parser.JsonCallParser;
import org.sallyport.sandbox.parser.ParsedScript;
import org.sallyport.sandbox.parser.SourcePosition;
import org.sallyport.sandbox.parser.SourceText;

/**
 * A script whose text is one tool call. The existing tools determine which tool it calls, and whether it is a call at
 * all.
 */
sealed interface DirectCallMatcher {
    /** Longer texts are read in workers only, with a time limit. */
    int MAX_CHARS = 64 << 10;

    /** Returns the call, or empty if its names do not denote a tool. */
    Optional<DirectCall> resolveCall(ToolNameLookup names);

    /**
     * Matches {@code script} if it has at most {@link #MAX_CHARS} characters and is one call whose arguments JSON can
     * represent. Linear in the length of the text.
     */
    static Optional<DirectCallMatcher> of(Script script) {
        if (script.code().length() > MAX_CHARS || TestScript.parse(script).isPresent()) {
            return Optional.empty();
        }
        return SourceText.onlyCandidate(script).flatMap(DirectCallMatcher::match);
    }

    private static Optional<DirectCallMatcher> match(SourceText source) {
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

    /** A tool call written as JSON. */
    record JsonCallMatch(String name, JsonStringifier.StringifiedJson arguments) implements DirectCallMatcher {
        @Override
        public Optional<DirectCall> resolveCall(ToolNameLookup names) {
            GuestTool tool = names.resolveQualified(name);
            return tool.backend().equals(HostServices.BACKEND)
                    ? Optional.empty()
                    : Optional.of(new DirectCall(
                            Tier.DIRECT, tool, arguments.json(), arguments.size(), true, SourcePosition.UNKNOWN));
        }
    }

    /** A tool call written as a statement. */
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
