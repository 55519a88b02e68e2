package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.comments.Swc4jComment;
import com.caoccao.javet.swc4j.enums.Swc4jMediaType;
import com.caoccao.javet.swc4j.outputs.Swc4jParseOutput;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;

/**
 * Parses scripts of every form. Thread-safe. A hostile script may crash the process, so for untrusted authors it must
 * run in a worker.
 */
public final class ScriptParser implements AutoCloseable {
    private static final String SOURCE_URL_TAG = "sourceURL";
    private static final String IS_TYPESCRIPT = " (the script is TypeScript: submit it with the language typescript)";
    private static final String DEFAULT_EXPORT = "export default ";
    /** Matches wherever a call may have type arguments, which are two comparisons in JavaScript. */
    private static final Pattern TYPE_ARGUMENTS = Pattern.compile("[\\w$]<[^<>()=;]++>[>\\s]*+[(`]");
    /** Matches wherever a comma may follow a rest element. */
    private static final Pattern COMMA_AFTER_REST = Pattern.compile("\\.\\.\\.[^,{}]*+,\\s*+[}/]");

    private final SyntaxCheck syntaxCheck;
    private final NativeCompiler compiler;
    private final Runnable onTimeout;

    /**
     * @param syntax the syntax check of the engine
     * @param libraryDirectory directory of the native compiler's library; null to unpack it on first use
     * @param givenUp called when a script exceeded the time limit; from then on a thread of this process computes in
     *     vain
     */
    public ScriptParser(SyntaxCheck syntax, @Nullable Path libraryDirectory, Runnable givenUp) {
        this.syntaxCheck = syntax;
        this.onTimeout = givenUp;
        compiler = new NativeCompiler(libraryDirectory);
    }

    /**
     * Parses a script without running it.
     *
     * @param role what the script is read for
     * @throws InvalidScriptException with the author's own line and column when the script cannot be run
     */
    public ParsedScript parse(Script script, ScriptRole role) throws InvalidScriptException {
        try {
            return parse(script, SourceText.candidates(script), role);
        } catch (InvalidScriptException invalid) {
            throw new InvalidScriptException(script.code(), invalid.error());
        } catch (NativeCompiler.CompileTimeoutException late) {
            onTimeout.run();
            throw new InvalidScriptException(
                    script.code(), new SyntaxError("The script takes too long to read", SourcePosition.UNKNOWN));
        }
    }

    private ParsedScript parse(Script script, List<SourceText> candidates, ScriptRole role)
            throws InvalidScriptException {
        if (candidates.size() == 1) {
            return parse(candidates.get(0), role);
        }
        SourceText likely = SourceText.of(script);
        InvalidScriptException failure = null;
        for (SourceText candidate : candidates) {
            try {
                return parse(candidate, role);
            } catch (InvalidScriptException invalid) {
                failure = failure == null || candidate.equals(likely) ? invalid : failure;
            }
        }
        throw Objects.requireNonNull(failure);
    }

    private ParsedScript parse(SourceText source, ScriptRole role) throws InvalidScriptException {
        Optional<ParsedScript.JsonToolCall> call = JsonCallParser.parse(source.code());
        if (call.isPresent()) {
            return call.get();
        }
        if (source.language() == SourceLanguage.TYPESCRIPT) {
            return parseProgram(source, role);
        }
        ParsedScript program;
        try {
            program = parseProgram(source.withLanguage(SourceLanguage.JAVASCRIPT), role);
        } catch (InvalidScriptException invalid) {
            return parseAsTypeScript(source, role, invalid);
        }
        if (source.language() != SourceLanguage.UNSPECIFIED || !hasTypeArguments(source)) {
            return program;
        }
        try {
            return parseProgram(source.withLanguage(SourceLanguage.TYPESCRIPT), role);
        } catch (InvalidScriptException invalid) {
            return program;
        }
    }

    /**
     * Returns whether a script has type arguments where JavaScript has two comparisons with the result of the first, as
     * in {@code new Set<string>(list)}. An author means the former.
     */
    private boolean hasTypeArguments(SourceText source) {
        return TYPE_ARGUMENTS.matcher(source.code()).find()
                && parseTypeScript(new SurrogateCodec(source.code()).encoded())
                        .filter(SyntaxTree::hasTypeArguments)
                        .isPresent();
    }

    /** Parses a script that is no valid JavaScript, and whose submitter did not say that it is TypeScript. */
    private ParsedScript parseAsTypeScript(SourceText source, ScriptRole role, InvalidScriptException asJavaScript)
            throws InvalidScriptException {
        ParsedScript program;
        try {
            program = parseProgram(source.withLanguage(SourceLanguage.TYPESCRIPT), role);
        } catch (InvalidScriptException asTypeScript) {
            // The parser that reads further knows the language of the script.
            boolean further = source.language() == SourceLanguage.UNSPECIFIED
                    && asTypeScript
                            .error()
                            .position()
                            .isAfter(asJavaScript.error().position());
            throw further ? asTypeScript : asJavaScript;
        }
        if (source.language() == SourceLanguage.UNSPECIFIED) {
            return program;
        }
        throw new InvalidScriptException(
                source.code(),
                new SyntaxError(
                        asJavaScript.error().message() + IS_TYPESCRIPT,
                        asJavaScript.error().position()));
    }

    /** Parses one script, so that everything is loaded for the next one. */
    public void warmUp() {
        try {
            parse(new Script("export default (a: number) => a;", SourceLanguage.TYPESCRIPT), ScriptRole.SCRIPT);
        } catch (InvalidScriptException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public void close() {
        compiler.close();
    }

    private ParsedScript parseProgram(SourceText source, ScriptRole role) throws InvalidScriptException {
        try {
            return parseProgram(source.code(), source.language(), role, PositionMap.identity());
        } catch (InvalidScriptException invalid) {
            Optional<ParsedScript> function = parseNamelessFunction(source, role);
            if (function.isPresent()) {
                return function.get();
            }
            throw invalid;
        }
    }

    /** {@code async function (args) {…}} is not a valid statement, but the intention of its author is clear. */
    private Optional<ParsedScript> parseNamelessFunction(SourceText source, ScriptRole role) {
        int start = Whitespace.skip(source.code(), 0);
        if (!source.code().startsWith("function", start) && !source.code().startsWith("async", start)) {
            return Optional.empty();
        }
        TextEdits exported = new TextEdits(source.code());
        exported.insert(start, DEFAULT_EXPORT);
        TextEdits.TextEditResult result = exported.applyWithin("", "");
        try {
            return Optional.of(parseProgram(result.text(), source.language(), role, result));
        } catch (InvalidScriptException notThatEither) {
            return Optional.empty();
        }
    }

    /**
     * @param positions maps positions in {@code code} to the author's text
     */
    private ParsedScript parseProgram(String code, SourceLanguage language, ScriptRole role, PositionMap positions)
            throws InvalidScriptException {
        SurrogateCodec surrogates = new SurrogateCodec(code);
        String safe = surrogates.encoded();
        if (!AwaitLineJoiner.isCandidate(safe)) {
            return parseProgram(safe, surrogates, language, role, positions);
        }
        TextEdits.TextEditResult joined;
        try {
            joined = AwaitLineJoiner.join(parseTree(
                    safe,
                    language == SourceLanguage.JAVASCRIPT ? Swc4jMediaType.JavaScript : Swc4jMediaType.TypeScript));
        } catch (InvalidScriptException invalid) {
            return parseProgram(safe, surrogates, language, role, positions);
        }
        return parseProgram(joined.text(), surrogates, language, role, joined.then(positions));
    }

    private ParsedScript parseProgram(
            String safe, SurrogateCodec surrogates, SourceLanguage language, ScriptRole role, PositionMap positions)
            throws InvalidScriptException {
        if (language == SourceLanguage.JAVASCRIPT) {
            return parseJavaScript(safe, surrogates, role, positions);
        }
        boolean merges = NamespaceMerger.isCandidate(safe);
        boolean needed = merges || COMMA_AFTER_REST.matcher(safe).find();
        Optional<SyntaxTree> tree = needed ? parseTypeScript(safe) : Optional.empty();
        if (tree.isPresent()) {
            rejectCommaAfterRest(tree.get(), positions);
        }
        if (tree.isPresent() && merges) {
            TextEdits.TextEditResult merged = NamespaceMerger.merge(tree.get());
            return transpile(merged.text(), surrogates, role, merged.then(positions));
        }
        return transpile(safe, surrogates, role, positions);
    }

    private ParsedScript transpile(String safe, SurrogateCodec surrogates, ScriptRole role, PositionMap positions)
            throws InvalidScriptException {
        NativeCompiler.TranspiledCode transpiled;
        try {
            transpiled = compiler.transpile(safe);
        } catch (InvalidScriptException invalid) {
            throw atOriginalPosition(findJsxError(safe, Swc4jMediaType.Tsx).orElse(invalid.error()), positions);
        }
        return normalize(
                parseTranspiled(transpiled.code()),
                surrogates,
                SourceLanguage.TYPESCRIPT,
                role,
                new SourceMap(transpiled.mappings()).then(positions));
    }

    /** Returns the tree of a script in TypeScript; empty if it is invalid, which the transpiler then reports. */
    private Optional<SyntaxTree> parseTypeScript(String safe) {
        try {
            return Optional.of(new SyntaxTree(safe, compiler.parse(safe, Swc4jMediaType.TypeScript, false)));
        } catch (InvalidScriptException invalid) {
            return Optional.empty();
        }
    }

    /** The native compiler and the engine accept a comma after the rest element of an object pattern. */
    private static void rejectCommaAfterRest(SyntaxTree tree, PositionMap positions) throws InvalidScriptException {
        Optional<Integer> comma = tree.firstCommaAfterRest();
        if (comma.isPresent()) {
            throw atOriginalPosition(
                    new SyntaxError(
                            "SyntaxError: Rest element must be last element; remove the comma after it",
                            new LineIndex(tree.text()).positionAt(comma.get())),
                    positions);
        }
    }

    private ParsedScript parseJavaScript(String safe, SurrogateCodec surrogates, ScriptRole role, PositionMap positions)
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
                    FunctionWrapper.wrap(new TextEdits(safe), role, false, first, ""), "");
            return toProgram(wrapped, surrogates, SourceLanguage.JAVASCRIPT, positions);
        }
        rejectCommaAfterRest(tree, positions);
        if (safe.contains("<!--") || safe.contains("-->")) {
            Optional<SyntaxError> error = syntaxCheck.checkBody(surrogates.decode(safe));
            if (error.isPresent() && tree.hasNoModuleItems()) {
                throw atOriginalPosition(error.get(), positions);
            }
        }
        return normalize(tree, surrogates, SourceLanguage.JAVASCRIPT, role, positions);
    }

    private ParsedScript normalize(
            SyntaxTree tree, SurrogateCodec surrogates, SourceLanguage language, ScriptRole role, PositionMap positions)
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
        return new ParsedScript.ScriptProgram(text, back, language, normalized.nullWarning());
    }

    private SyntaxTree parseTree(String code, Swc4jMediaType type) throws InvalidScriptException {
        if (!code.contains(SOURCE_URL_TAG)) {
            return new SyntaxTree(code, compiler.parse(code, type, false));
        }
        // A comment must not rename the source of the script, because frames of other sources are not shown.
        Swc4jParseOutput parsed = compiler.parse(code, type, true);
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
            return new SyntaxTree(code, compiler.parse(code, Swc4jMediaType.JavaScript, false));
        } catch (InvalidScriptException invalid) {
            return new SyntaxTree(code, compiler.parse(code, Swc4jMediaType.TypeScript, false));
        }
    }

    private Optional<SyntaxError> findJsxError(String code, Swc4jMediaType type) {
        if (code.indexOf('<') < 0) {
            return Optional.empty();
        }
        try {
            return new SyntaxTree(code, compiler.parse(code, type, false))
                    .firstJsxOffset()
                    .map(at -> new SyntaxError(
                            "SyntaxError: JSX is not supported in a script", new LineIndex(code).positionAt(at)));
        } catch (InvalidScriptException notJsxEither) {
            return Optional.empty();
        }
    }

    private static InvalidScriptException atOriginalPosition(SyntaxError error, PositionMap positions) {
        return new InvalidScriptException("", new SyntaxError(error.message(), positions.toOriginal(error.position())));
    }
}
