package org.sallyport.sandbox.source;

import com.caoccao.javet.swc4j.comments.Swc4jComment;
import com.caoccao.javet.swc4j.enums.Swc4jMediaType;
import com.caoccao.javet.swc4j.outputs.Swc4jParseOutput;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Script;

/**
 * Reads scripts of every form. Thread-safe; may end the process on a hostile script, so where authors are not trusted it is
 * only for use in a worker.
 */
public final class ScriptReader implements AutoCloseable {
    private static final String SOURCE_NAME = "sourceURL";
    private static final String ANONYMOUS = "export default ";

    private final SyntaxCheck syntax;
    private final NativeCompiler compiler;
    private final Runnable givenUp;

    /**
     * @param syntax the engine's own opinion
     * @param libraryDirectory where the native compiler's library lies; null to unpack it when first needed
     * @param givenUp told when a script took too long, from when on a thread of this process computes for nothing
     */
    public ScriptReader(SyntaxCheck syntax, @Nullable Path libraryDirectory, Runnable givenUp) {
        this.syntax = syntax;
        this.givenUp = givenUp;
        compiler = new NativeCompiler(libraryDirectory);
    }

    /**
     * Reads a script without running it.
     *
     * @throws InvalidScriptException with the author's own line and column when it cannot be run
     */
    public ReadScript read(Script script) throws InvalidScriptException {
        SourceText source = SourceText.of(script);
        Optional<ReadScript.ToolCall> call = JsonCall.read(source.code());
        if (call.isPresent()) {
            return call.get();
        }
        try {
            return program(source);
        } catch (InvalidScriptException invalid) {
            throw new InvalidScriptException(script.code(), invalid.fault());
        } catch (NativeCompiler.GivenUpException late) {
            givenUp.run();
            throw new InvalidScriptException(
                    script.code(), new SyntaxFault("The script takes too long to read", Place.UNKNOWN));
        }
    }

    /** Reads one script so that the next one finds everything loaded. */
    public void warmUp() {
        try {
            read(new Script("export default (a: number) => a;", Language.TYPESCRIPT));
        } catch (InvalidScriptException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public void close() {
        compiler.close();
    }

    private ReadScript program(SourceText source) throws InvalidScriptException {
        try {
            return program(source.code(), source.language(), PositionMap.unchanged());
        } catch (InvalidScriptException invalid) {
            Optional<ReadScript> function = namelessFunction(source);
            if (function.isPresent()) {
                return function.get();
            }
            throw invalid;
        }
    }

    /** {@code async function (args) {…}} is no statement, but what its author means is plain. */
    private Optional<ReadScript> namelessFunction(SourceText source) {
        int start = Blanks.skip(source.code(), 0);
        if (!source.code().startsWith("function", start) && !source.code().startsWith("async", start)) {
            return Optional.empty();
        }
        EditedText exported = new EditedText(source.code());
        exported.insert(start, ANONYMOUS);
        EditedText.Result result = exported.between("", "");
        try {
            return Optional.of(program(result.text(), source.language(), result));
        } catch (InvalidScriptException notThatEither) {
            return Optional.empty();
        }
    }

    /** @param positions from {@code code} to the author's text */
    private ReadScript program(String code, Language language, PositionMap positions) throws InvalidScriptException {
        LoneSurrogates surrogates = new LoneSurrogates(code);
        String safe = surrogates.safe();
        if (!LineEndAwaits.mayBeIn(safe)) {
            return program(safe, surrogates, language, positions);
        }
        EditedText.Result joined;
        try {
            joined = LineEndAwaits.joined(tree(
                    safe, language == Language.JAVASCRIPT ? Swc4jMediaType.JavaScript : Swc4jMediaType.TypeScript));
        } catch (InvalidScriptException invalid) {
            return program(safe, surrogates, language, positions);
        }
        return program(joined.text(), surrogates, language, joined.then(positions));
    }

    private ReadScript program(String safe, LoneSurrogates surrogates, Language language, PositionMap positions)
            throws InvalidScriptException {
        if (language == Language.JAVASCRIPT) {
            return javaScript(safe, surrogates, positions);
        }
        NativeCompiler.Transpiled transpiled;
        try {
            transpiled = compiler.transpile(safe);
        } catch (InvalidScriptException invalid) {
            throw mapped(jsxFault(safe, Swc4jMediaType.Tsx).orElse(invalid.fault()), positions);
        }
        return form(
                transpiledTree(transpiled.code()), surrogates, new SourceMap(transpiled.mappings()).then(positions));
    }

    private ReadScript javaScript(String safe, LoneSurrogates surrogates, PositionMap positions)
            throws InvalidScriptException {
        SyntaxTree tree;
        try {
            tree = tree(safe, Swc4jMediaType.JavaScript);
        } catch (InvalidScriptException invalid) {
            if (!invalid.fault().place().known()
                    || syntax.ofBody(surrogates.restored(safe)).isPresent()) {
                throw mapped(jsxFault(safe, Swc4jMediaType.Jsx).orElse(invalid.fault()), positions);
            }
            // The engine is the judge of what is JavaScript: what it takes for a body may run as one.
            return program(Wrapper.around(new EditedText(safe), false, "", ""), surrogates, positions);
        }
        if (safe.contains("<!--") || safe.contains("-->")) {
            Optional<SyntaxFault> fault = syntax.ofBody(surrogates.restored(safe));
            if (fault.isPresent() && tree.isBody()) {
                throw mapped(fault.get(), positions);
            }
        }
        return form(tree, surrogates, positions);
    }

    private ReadScript form(SyntaxTree tree, LoneSurrogates surrogates, PositionMap positions)
            throws InvalidScriptException {
        EditedText.Result wrapped;
        try {
            wrapped = ScriptForm.wrapped(tree);
        } catch (InvalidScriptException invalid) {
            throw mapped(invalid.fault(), positions);
        }
        return program(wrapped, surrogates, positions);
    }

    private ReadScript program(EditedText.Result wrapped, LoneSurrogates surrogates, PositionMap positions)
            throws InvalidScriptException {
        String text = surrogates.restored(wrapped.text());
        PositionMap back = wrapped.then(positions);
        Optional<SyntaxFault> fault = syntax.ofProgram(text);
        if (fault.isPresent()) {
            throw mapped(
                    fault.get(), fault.get().place().known() ? wrapped.orEnd().then(positions) : back);
        }
        return new ReadScript.Program(text, back);
    }

    private SyntaxTree tree(String code, Swc4jMediaType type) throws InvalidScriptException {
        if (!code.contains(SOURCE_NAME)) {
            return new SyntaxTree(code, compiler.parse(code, type, false));
        }
        // A comment must not give the script another name: frames of other sources are not shown.
        Swc4jParseOutput parsed = compiler.parse(code, type, true);
        SyntaxTree tree = new SyntaxTree(code, parsed);
        StringBuilder plain = new StringBuilder(code);
        for (Swc4jComment comment : parsed.getComments().getComments()) {
            if (comment.getText().contains(SOURCE_NAME)) {
                int at = code.indexOf(SOURCE_NAME, tree.unit(comment.getSpan().getStart()));
                plain.setCharAt(at, 'S');
            }
        }
        return tree.of(plain.toString());
    }

    /** What the compiler leaves of TypeScript that is not JavaScript: imports and exports by assignment. */
    private SyntaxTree transpiledTree(String code) throws InvalidScriptException {
        try {
            return new SyntaxTree(code, compiler.parse(code, Swc4jMediaType.JavaScript, false));
        } catch (InvalidScriptException invalid) {
            return new SyntaxTree(code, compiler.parse(code, Swc4jMediaType.TypeScript, false));
        }
    }

    private Optional<SyntaxFault> jsxFault(String code, Swc4jMediaType type) {
        if (code.indexOf('<') < 0) {
            return Optional.empty();
        }
        try {
            return new SyntaxTree(code, compiler.parse(code, type, false))
                    .jsx()
                    .map(at -> new SyntaxFault(
                            "SyntaxError: JSX is not supported in a script", new Lines(code).place(at)));
        } catch (InvalidScriptException notJsxEither) {
            return Optional.empty();
        }
    }

    private static InvalidScriptException mapped(SyntaxFault fault, PositionMap positions) {
        return new InvalidScriptException("", new SyntaxFault(fault.message(), positions.original(fault.place())));
    }
}
