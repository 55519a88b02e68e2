package org.sallyport.sandbox.parser;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;

/**
 * Parses scripts of every form. Thread-safe. A hostile script may crash the process, so for untrusted authors it must
 * run in a worker.
 */
public final class ScriptParser implements AutoCloseable {
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
        // All attempts for one script share one limit of CPU time.
        var programs = new ProgramParser(syntaxCheck, compiler, NativeCompiler.newLimit(), role);
        try {
            return parse(script, new LanguageResolver(programs));
        } catch (InvalidScriptException invalid) {
            throw new InvalidScriptException(script.code(), invalid.error());
        } catch (NativeCompiler.CompileTimeoutException late) {
            if (late.isComputing()) {
                onTimeout.run();
            }
            throw new InvalidScriptException(
                    script.code(), new SyntaxError("The script takes too long to read", SourcePosition.UNKNOWN));
        }
    }

    private static ParsedScript parse(Script script, LanguageResolver languages) throws InvalidScriptException {
        Optional<MarkdownFence> fence = MarkdownFence.find(script);
        if (fence.isEmpty()) {
            return languages.parse(SourceText.unfenced(script));
        }
        if (fence.get().certain()) {
            return languages.parse(fence.get().content());
        }
        try {
            return languages.parse(SourceText.unfenced(script));
        } catch (InvalidScriptException notAsItStands) {
            return languages.parse(fence.get().content()).asFenced();
        }
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
}
