package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.comments.Swc4jComment;
import com.caoccao.javet.swc4j.enums.Swc4jMediaType;
import com.caoccao.javet.swc4j.outputs.Swc4jParseOutput;
import java.util.Optional;
import org.sallyport.sandbox.SourceLanguage;

/** Parses the texts of one script, each in a given language. Not thread-safe. */
final class ProgramParser {
    private static final String SOURCE_URL_TAG = "sourceURL";
    private static final String DEFAULT_EXPORT = "export default ";

    private final SyntaxCheck syntaxCheck;
    private final NativeCompiler compiler;
    private final CpuTimeLimit limit;
    private final ScriptRole role;

    /**
     * @param limit the limit of CPU time for all texts together
     */
    ProgramParser(SyntaxCheck syntaxCheck, NativeCompiler compiler, CpuTimeLimit limit, ScriptRole role) {
        this.syntaxCheck = syntaxCheck;
        this.compiler = compiler;
        this.limit = limit;
        this.role = role;
    }

    /**
     * Parses a script.
     *
     * @param source a text in JavaScript or TypeScript
     * @throws InvalidScriptException with the author's own line and column
     */
    ParsedScript parse(SourceText source) throws InvalidScriptException {
        try {
            return parse(source.code(), source.language(), PositionMap.identity());
        } catch (InvalidScriptException invalid) {
            Optional<ParsedScript> function = parseNamelessFunction(source);
            if (function.isPresent()) {
                return function.get();
            }
            throw invalid;
        }
    }

    /** Returns the tree of a script in TypeScript; empty if it is invalid, which the transpiler then reports. */
    Optional<SyntaxTree> parseTypeScriptTree(String safe) {
        try {
            return Optional.of(newTree(safe, Swc4jMediaType.TypeScript));
        } catch (InvalidScriptException invalid) {
            return Optional.empty();
        }
    }

    /** {@code async function (args) {…}} is not a valid statement, but the intention of its author is clear. */
    private Optional<ParsedScript> parseNamelessFunction(SourceText source) {
        int start = Whitespace.skip(source.code(), 0);
        if (!source.code().startsWith("function", start) && !source.code().startsWith("async", start)) {
            return Optional.empty();
        }
        TextEdits exported = new TextEdits(source.code());
        exported.insert(start, DEFAULT_EXPORT);
        TextEdits.TextEditResult result = exported.applyWithin("", "");
        try {
            return Optional.of(parse(result.text(), source.language(), result));
        } catch (InvalidScriptException notThatEither) {
            return Optional.empty();
        }
    }

    /**
     * @param positions maps positions in {@code code} to the author's text
     */
    private ParsedScript parse(String code, SourceLanguage language, PositionMap positions)
            throws InvalidScriptException {
        SurrogateCodec surrogates = new SurrogateCodec(code);
        String safe = surrogates.encoded();
        if (!AwaitLineJoiner.isCandidate(safe)) {
            return parse(safe, surrogates, language, positions);
        }
        TextEdits.TextEditResult joined;
        try {
            joined = AwaitLineJoiner.join(parseTree(
                    safe,
                    language == SourceLanguage.JAVASCRIPT ? Swc4jMediaType.JavaScript : Swc4jMediaType.TypeScript));
        } catch (InvalidScriptException invalid) {
            return parse(safe, surrogates, language, positions);
        }
        return parse(joined.text(), surrogates, language, joined.then(positions));
    }

    private ParsedScript parse(String safe, SurrogateCodec surrogates, SourceLanguage language, PositionMap positions)
            throws InvalidScriptException {
        return language == SourceLanguage.JAVASCRIPT
                ? parseJavaScript(safe, surrogates, positions)
                : parseTypeScript(safe, surrogates, positions);
    }

    private ParsedScript parseTypeScript(String safe, SurrogateCodec surrogates, PositionMap positions)
            throws InvalidScriptException {
        boolean merges = NamespaceMerger.isCandidate(safe);
        Optional<SyntaxTree> tree =
                merges || RestElementCheck.isCandidate(safe) ? parseTypeScriptTree(safe) : Optional.empty();
        if (tree.isPresent()) {
            rejectCommaAfterRest(tree.get(), positions);
        }
        if (tree.isPresent() && merges) {
            TextEdits.TextEditResult merged = NamespaceMerger.merge(tree.get());
            return transpile(merged.text(), surrogates, merged.then(positions));
        }
        return transpile(safe, surrogates, positions);
    }

    private ParsedScript transpile(String safe, SurrogateCodec surrogates, PositionMap positions)
            throws InvalidScriptException {
        NativeCompiler.TranspiledCode transpiled;
        try {
            transpiled = compiler.transpile(safe, limit);
        } catch (InvalidScriptException invalid) {
            throw atOriginalPosition(findJsxError(safe, Swc4jMediaType.Tsx).orElse(invalid.error()), positions);
        }
        return normalize(
                parseTranspiled(transpiled.code()),
                surrogates,
                SourceLanguage.TYPESCRIPT,
                new SourceMap(transpiled.mappings()).then(positions));
    }

    private static void rejectCommaAfterRest(SyntaxTree tree, PositionMap positions) throws InvalidScriptException {
        Optional<SyntaxError> error = RestElementCheck.check(tree);
        if (error.isPresent()) {
            throw atOriginalPosition(error.get(), positions);
        }
    }

    private ParsedScript parseJavaScript(String safe, SurrogateCodec surrogates, PositionMap positions)
            throws InvalidScriptException {
        SyntaxTree tree;
        try {
            tree = parseTree(safe, Swc4jMediaType.JavaScript);
        } catch (InvalidScriptException invalid) {
            if (!invalid.error().position().isKnown()
                    || syntaxCheck.checkBody(surrogates.decode(safe)).isPresent()) {
                throw atOriginalPosition(findJsxError(safe, Swc4jMediaType.Jsx).orElse(invalid.error()), positions);
            }
            // The engine decides what is valid JavaScript: code that it accepts as a function body may run as one.
            String first = role == ScriptRole.TESTED ? TestScope.NOTHING : "";
            var wrapped = new ScriptNormalizer.NormalizedScript(
                    FunctionWrapper.wrap(new TextEdits(safe), role, false, FunctionWrapper.SPREAD, first, ""), "");
            return toProgram(wrapped, surrogates, SourceLanguage.JAVASCRIPT, positions);
        }
        rejectCommaAfterRest(tree, positions);
        if (tree.hasNoModuleItems() && (safe.contains("<!--") || safe.contains("-->"))) {
            // To the engine these begin comments. It knows no `using`.
            Optional<SyntaxError> error = syntaxCheck.checkBody(surrogates.decode(UsingRewriter.withConstants(tree)));
            if (error.isPresent()) {
                throw atOriginalPosition(error.get(), positions);
            }
        }
        return normalize(tree, surrogates, SourceLanguage.JAVASCRIPT, positions);
    }

    private ParsedScript normalize(
            SyntaxTree tree, SurrogateCodec surrogates, SourceLanguage language, PositionMap positions)
            throws InvalidScriptException {
        ScriptNormalizer.NormalizedScript normalized;
        try {
            normalized = ScriptNormalizer.normalize(tree, role);
        } catch (InvalidScriptException invalid) {
            throw atOriginalPosition(invalid.error(), positions);
        }
        return toProgram(normalized, surrogates, language, positions);
    }

    private ParsedScript toProgram(
            ScriptNormalizer.NormalizedScript normalized,
            SurrogateCodec surrogates,
            SourceLanguage language,
            PositionMap positions)
            throws InvalidScriptException {
        TextEdits.TextEditResult wrapped = normalized.wrapped();
        String text = surrogates.decode(wrapped.text());
        PositionMap back = wrapped.then(positions);
        Optional<SyntaxError> error = syntaxCheck.checkProgram(text);
        if (error.isPresent()) {
            throw atOriginalPosition(
                    error.get(),
                    error.get().position().isKnown()
                            ? wrapped.mappingSuffixToEnd().then(positions)
                            : back);
        }
        return new ParsedScript.ScriptProgram(text, back, language, normalized.nullWarning(), false);
    }

    private SyntaxTree parseTree(String code, Swc4jMediaType type) throws InvalidScriptException {
        if (!code.contains(SOURCE_URL_TAG)) {
            return newTree(code, type);
        }
        // A comment must not rename the source of the script, because frames of other sources are not shown.
        Swc4jParseOutput parsed = compiler.parse(code, type, true, limit);
        SyntaxTree tree = new SyntaxTree(code, parsed);
        StringBuilder plain = new StringBuilder(code);
        for (Swc4jComment comment : parsed.getComments().getComments()) {
            if (comment.getText().contains(SOURCE_URL_TAG)) {
                int at = code.indexOf(
                        SOURCE_URL_TAG, tree.toUtf16Offset(comment.getSpan().getStart()));
                plain.setCharAt(at, 'S');
            }
        }
        return tree.withText(plain.toString());
    }

    /** Parses the compiler's output, which may keep TypeScript imports and exports by assignment. */
    private SyntaxTree parseTranspiled(String code) throws InvalidScriptException {
        try {
            return newTree(code, Swc4jMediaType.JavaScript);
        } catch (InvalidScriptException invalid) {
            return newTree(code, Swc4jMediaType.TypeScript);
        }
    }

    private Optional<SyntaxError> findJsxError(String code, Swc4jMediaType type) {
        if (code.indexOf('<') < 0) {
            return Optional.empty();
        }
        try {
            return newTree(code, type)
                    .firstJsxOffset()
                    .map(at -> new SyntaxError(
                            "SyntaxError: JSX is not supported in a script", new LineIndex(code).positionAt(at)));
        } catch (InvalidScriptException notJsxEither) {
            return Optional.empty();
        }
    }

    private SyntaxTree newTree(String code, Swc4jMediaType type) throws InvalidScriptException {
        return new SyntaxTree(code, compiler.parse(code, type, false, limit));
    }

    private static InvalidScriptException atOriginalPosition(SyntaxError error, PositionMap positions) {
        return new InvalidScriptException("", new SyntaxError(error.message(), positions.toOriginal(error.position())));
    }
}
