package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.Swc4j;
import com.caoccao.javet.swc4j.Swc4jLibLoader;
import com.caoccao.javet.swc4j.enums.Swc4jMediaType;
import com.caoccao.javet.swc4j.enums.Swc4jParseMode;
import com.caoccao.javet.swc4j.enums.Swc4jSourceMapOption;
import com.caoccao.javet.swc4j.exceptions.Swc4jCoreException;
import com.caoccao.javet.swc4j.interfaces.ISwc4jLibLoadingListener;
import com.caoccao.javet.swc4j.options.Swc4jDecoratorsTranspileOption;
import com.caoccao.javet.swc4j.options.Swc4jParseOptions;
import com.caoccao.javet.swc4j.options.Swc4jTranspileOptions;
import com.caoccao.javet.swc4j.outputs.Swc4jParseOutput;
import com.caoccao.javet.swc4j.outputs.Swc4jTranspileOutput;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs the native TypeScript compiler on a dedicated thread. The compiler recurses with its input, so the thread has a
 * large stack. The compiler cannot be interrupted, so callers wait only until it has used a limit of CPU time. Loaded
 * on first use. Thread-safe.
 */
final class NativeCompiler implements AutoCloseable {
    private static final long STACK_BYTES = 256L << 20;
    private static final Duration LOAD_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration MAX_CPU = Duration.ofSeconds(5);
    private static final Duration MAX_ELAPSED = Duration.ofSeconds(45);
    private static final Pattern MESSAGE = Pattern.compile("(?s)^SyntaxError: (.*?)(?:\\n.*?:(\\d+):(\\d+)\\s*)?$");

    /** A script exceeded the time limit. */
    static final class CompileTimeoutException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean computing;

        CompileTimeoutException(boolean computing) {
            super(null, null, false, false);
            this.computing = computing;
        }

        /** Returns whether a thread, which cannot be stopped, keeps computing, so that the process should end soon. */
        boolean isComputing() {
            return computing;
        }
    }

    /** Output of the compiler for TypeScript: code, and the {@code mappings} of its source map. */
    record TranspiledCode(String code, String mappings) {}

    @FunctionalInterface
    private interface CompilerCall<T> {
        T apply(Swc4j compiler) throws Swc4jCoreException;
    }

    private final @Nullable Path libraryDirectory;
    private ExecutorService executor = newExecutor();
    private @Nullable Thread compilerThread;
    private @Nullable Swc4j compiler;

    /**
     * @param libraryDirectory directory of the native library; null to unpack it into the directory for temporary files
     */
    NativeCompiler(@Nullable Path libraryDirectory) {
        this.libraryDirectory = libraryDirectory;
    }

    /** Returns a new limit for all that is done for one script. */
    static CpuTimeLimit newLimit() {
        return new CpuTimeLimit(MAX_CPU, MAX_ELAPSED);
    }

    TranspiledCode transpile(String code, CpuTimeLimit limit) throws InvalidScriptException {
        Swc4jTranspileOutput output = runOnLargeStack(
                code,
                limit,
                swc -> swc.transpile(
                        code,
                        new Swc4jTranspileOptions()
                                .setMediaType(Swc4jMediaType.TypeScript)
                                .setParseMode(Swc4jParseMode.Program)
                                .setKeepComments(false)
                                .setDecorators(Swc4jDecoratorsTranspileOption.Ecma())
                                .setInlineSources(false)
                                .setSourceMap(Swc4jSourceMapOption.Separate)));
        return new TranspiledCode(output.getCode(), mappings(output.getSourceMap()));
    }

    /** Returns the syntax tree of {@code code}, with comments if {@code comments} is true. */
    Swc4jParseOutput parse(String code, Swc4jMediaType type, boolean comments, CpuTimeLimit limit)
            throws InvalidScriptException {
        return runOnLargeStack(
                code,
                limit,
                swc -> swc.parse(
                        code,
                        new Swc4jParseOptions()
                                .setMediaType(type)
                                .setParseMode(Swc4jParseMode.Program)
                                .setCaptureComments(comments)
                                .setCaptureAst(true)));
    }

    @Override
    public synchronized void close() {
        executor.shutdownNow();
    }

    private synchronized <T> T runOnLargeStack(String code, CpuTimeLimit limit, CompilerCall<T> work)
            throws InvalidScriptException {
        if (limit.isUsedUp()) {
            throw new CompileTimeoutException(false);
        }
        if (NestingLimit.isTooDeep(code)) {
            throw new InvalidScriptException(
                    code,
                    new SyntaxError(
                            "The script is nested too deeply or has too long an expression", SourcePosition.UNKNOWN));
        }
        try {
            Swc4j loaded = compiler;
            if (loaded == null) {
                // The limit applies to the script only, not to the time that a cold disk needs to load the library.
                loaded = executor.submit(this::load).get(LOAD_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
                compiler = loaded;
            }
            Swc4j ready = loaded;
            return limit.await(executor.submit(() -> work.apply(ready)), Objects.requireNonNull(compilerThread));
        } catch (ExecutionException failure) {
            throw new InvalidScriptException(code, toSyntaxError(code, failure.getCause()));
        } catch (TimeoutException | InterruptedException late) {
            executor.shutdownNow();
            executor = newExecutor();
            if (late instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new CompileTimeoutException(true);
        }
    }

    private Swc4j load() {
        Path directory = libraryDirectory;
        if (directory != null) {
            Swc4jLibLoader.setLibLoadingListener(new UnpackedLibraryListener(directory));
        }
        return new Swc4j();
    }

    private static SyntaxError toSyntaxError(String code, @Nullable Throwable cause) {
        String text = cause == null || cause.getMessage() == null ? "" : cause.getMessage();
        Matcher matcher = MESSAGE.matcher(text);
        if (!(cause instanceof Swc4jCoreException) || !matcher.matches()) {
            return new SyntaxError("The script cannot be parsed", SourcePosition.UNKNOWN);
        }
        String message = "SyntaxError: "
                + matcher.group(1).lines().findFirst().orElse("").strip();
        if (matcher.group(2) == null) {
            return new SyntaxError(message, SourcePosition.UNKNOWN);
        }
        int line = Integer.parseInt(matcher.group(2));
        return new SyntaxError(
                message, new SourcePosition(line, toUtf16Column(code, line, Integer.parseInt(matcher.group(3)))));
    }

    /** Converts a column of the compiler, which counts code points, to UTF-16 code units. */
    private static int toUtf16Column(String code, int line, int column) {
        String text = code.lines().skip(line - 1L).findFirst().orElse("");
        int points = Math.min(column - 1, text.codePointCount(0, text.length()));
        return text.offsetByCodePoints(0, Math.max(0, points)) + 1;
    }

    private static String mappings(@Nullable String sourceMap) {
        String marker = "\"mappings\":\"";
        int start = sourceMap == null ? -1 : sourceMap.lastIndexOf(marker);
        if (sourceMap == null || start < 0) {
            return "";
        }
        return sourceMap.substring(start + marker.length(), sourceMap.indexOf('"', start + marker.length()));
    }

    /** Creates an executor, which sets {@link #compilerThread} when it gets its first task. */
    private ExecutorService newExecutor() {
        return Executors.newSingleThreadExecutor(work -> {
            Thread created = new Thread(null, work, "sallyport-compiler", STACK_BYTES);
            created.setDaemon(true);
            compilerThread = created;
            return created;
        });
    }

    private record UnpackedLibraryListener(Path directory) implements ISwc4jLibLoadingListener {
        @Override
        public File getLibPath() {
            return directory.toFile();
        }

        @Override
        public boolean isDeploy() {
            return false;
        }
    }
}
