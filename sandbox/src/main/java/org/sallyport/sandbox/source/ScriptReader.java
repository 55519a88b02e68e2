package org.sallyport.sandbox.source;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Script;

/** Reads scripts of every form. Thread-safe; may end the process on hostile TypeScript, so only for use in a worker. */
public final class ScriptReader implements AutoCloseable {
    private static final String BODY_PREFIX = "(async()=>{";
    private static final String MODULE_PREFIX = "(async($args$,$context$)=>{";
    private static final String STRICT = "'use strict';";
    private static final String SUFFIX = "\n})";
    private static final Pattern MODULE_WORD = Pattern.compile("\\b(?:export|import)\\b");

    private final SyntaxCheck syntax;
    private final NativeCompiler compiler;

    /**
     * @param syntax the engine's own opinion
     * @param libraryDirectory where the native compiler's library lies; null to unpack it when first needed
     */
    public ScriptReader(SyntaxCheck syntax, @Nullable Path libraryDirectory) {
        this.syntax = syntax;
        compiler = new NativeCompiler(libraryDirectory);
    }

    /**
     * Reads a script without running it.
     *
     * @throws InvalidScriptException with the author's own line and column when it cannot be run
     */
    public ReadScript read(Script script) throws InvalidScriptException {
        Optional<ReadScript.ToolCall> call = JsonCall.read(script.code());
        if (call.isPresent()) {
            return call.get();
        }
        return script.language() == Language.TYPESCRIPT ? typeScript(script.code()) : javaScript(script.code());
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

    private ReadScript typeScript(String code) throws InvalidScriptException {
        LoneSurrogates surrogates = new LoneSurrogates(code);
        NativeCompiler.Transpiled transpiled = compiler.transpile(surrogates.safe());
        PositionMap map = new SourceMap(transpiled.mappings());
        return program(code, surrogates.restored(transpiled.code()), map);
    }

    private ReadScript javaScript(String code) throws InvalidScriptException {
        return program(code, code, PositionMap.unchanged());
    }

    /** @param code the author's text; {@code script}, JavaScript, was made from it */
    private ReadScript program(String code, String script, PositionMap positions) throws InvalidScriptException {
        int lines = (int) script.chars().filter(at -> at == '\n').count() + 1;
        String module = MODULE_WORD.matcher(script).find() ? moduleBody(code, script, positions) : null;
        String strict = module == null ? "" : STRICT;
        String body = module == null ? script : module;
        Optional<SyntaxFault> fault = syntax.check(strict + body);
        if (fault.isPresent()) {
            throw mapped(code, fault.get(), PositionMap.prefixed(strict, lines).then(positions));
        }
        String prefix = module == null ? BODY_PREFIX : MODULE_PREFIX + STRICT;
        return new ReadScript.Program(
                prefix + body + SUFFIX, PositionMap.prefixed(prefix, lines).then(positions));
    }

    private @Nullable String moduleBody(String code, String script, PositionMap positions)
            throws InvalidScriptException {
        LoneSurrogates surrogates = new LoneSurrogates(script);
        try {
            String body = ModuleForm.bodyOf(
                    surrogates.safe(),
                    compiler.parseJavaScript(surrogates.safe()).getProgram().getBody());
            return body == null ? null : surrogates.restored(body);
        } catch (InvalidScriptException invalid) {
            SyntaxFault fault = invalid.fault();
            // What fails to parse as a module may be a body, or is better explained by the engine.
            if (fault.message().startsWith("SyntaxError")
                    || syntax.check(script).isEmpty()) {
                return null;
            }
            throw mapped(code, fault, positions);
        }
    }

    private static InvalidScriptException mapped(String code, SyntaxFault fault, PositionMap positions) {
        return new InvalidScriptException(code, new SyntaxFault(fault.message(), positions.original(fault.place())));
    }
}
