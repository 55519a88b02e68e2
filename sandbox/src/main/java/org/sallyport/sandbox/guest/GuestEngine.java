package org.sallyport.sandbox.guest;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Engine;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.SandboxPolicy;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.SourceSection;
import org.graalvm.polyglot.Value;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.parser.SourcePosition;
import org.sallyport.sandbox.parser.SyntaxCheck;
import org.sallyport.sandbox.parser.SyntaxError;

/**
 * The engine that all contexts share, so that each source is parsed once. Creates new, isolated contexts and checks
 * syntax. Thread-safe.
 */
final class GuestEngine implements SyntaxCheck, AutoCloseable {
    /** Name of the author's source in stack traces; frames of other sources are not the author's. */
    static final String SCRIPT_SOURCE = "script";
    /** Name of the source of the author's tests. */
    static final String TESTS_SOURCE = "tests";

    private static final String JS = "js";
    private static final Map<String, String> OPTIONS = Map.ofEntries(
            Map.entry("js.ecmascript-version", "2024"),
            Map.entry("js.graal-builtin", "false"),
            Map.entry("js.load", "false"),
            Map.entry("js.print", "false"),
            Map.entry("js.console", "false"),
            Map.entry("js.webassembly", "false"),
            Map.entry("js.text-encoding", "true"),
            Map.entry("js.performance", "true"),
            Map.entry("js.unhandled-rejections", "throw"),
            Map.entry("js.timer-resolution", "1000000"),
            Map.entry("js.locale", "en-US"));

    /** The engine reports {@code SyntaxError: source:line:column words}, with columns from 0. */
    private static final Pattern SYNTAX_ERROR =
            Pattern.compile("(?s)^SyntaxError: (?:<function>|" + SCRIPT_SOURCE + "):(\\d+):(\\d+) ([^\\n]*).*");

    private final Engine engine;
    private final CallDepthLimiter callDepthLimiter;
    private final Source prelude = loadResource("prelude");
    private final Map<String, Source> preludeParts = new ConcurrentHashMap<>();
    private final SandboxPolicy policy;
    private @Nullable SyntaxCheckContext checker;

    /** A context that never runs code of an author. */
    private record SyntaxCheckContext(Context context, Value functionConstructor) {}

    GuestEngine() {
        this(SandboxPolicy.CONSTRAINED, Map.of());
    }

    private GuestEngine(SandboxPolicy policy, Map<String, String> instruments) {
        this.policy = policy;
        engine = Engine.newBuilder(JS)
                .sandbox(policy)
                .allowExperimentalOptions(policy == SandboxPolicy.TRUSTED)
                .option("engine.WarnInterpreterOnly", "false")
                .options(instruments)
                .in(InputStream.nullInputStream())
                .out(OutputStream.nullOutputStream())
                .err(OutputStream.nullOutputStream())
                .build();
        callDepthLimiter = CallDepthLimiter.attachTo(engine);
    }

    /**
     * Creates an engine with instruments, which the engine forbids in a sandbox policy. Its contexts are still
     * isolated.
     */
    static GuestEngine withInstruments(Map<String, String> instruments) {
        return new GuestEngine(SandboxPolicy.TRUSTED, instruments);
    }

    Engine engine() {
        return engine;
    }

    /** Returns whether a script exhausted the stack of its thread, after which this engine may be broken. */
    boolean hasStackOverflowed() {
        return callDepthLimiter.hasStackOverflowed();
    }

    /** Notes that the stack of a thread has ended in code that this engine does not report. */
    void reportStackOverflow() {
        callDepthLimiter.reportStackOverflow();
    }

    Context newContext() {
        return Context.newBuilder(JS)
                .engine(engine)
                .sandbox(policy)
                .allowExperimentalOptions(policy == SandboxPolicy.TRUSTED)
                .allowHostAccess(HostAccess.CONSTRAINED)
                .in(InputStream.nullInputStream())
                .out(OutputStream.nullOutputStream())
                .err(OutputStream.nullOutputStream())
                .options(OPTIONS)
                .timeZone(ZoneOffset.UTC)
                .build();
    }

    /** Runs the prelude in a new context. Returns a function that takes the host function. */
    Value evaluatePrelude(Context context) {
        return context.eval(prelude);
    }

    /** Runs a part of the prelude that is loaded on demand. Returns a function. */
    Value evaluatePart(Context context, String name) {
        return context.eval(preludeParts.computeIfAbsent(name, GuestEngine::loadResource));
    }

    /** Returns a source with the name that stack traces show. */
    static Source source(String name, String code) {
        return Source.newBuilder(JS, code, name).buildLiteral();
    }

    /** Checks with the constructor of async functions: code cannot escape from it by closing a wrapper early. */
    @Override
    public synchronized Optional<SyntaxError> checkBody(String body) {
        try {
            checker().functionConstructor().newInstance(body);
            return Optional.empty();
        } catch (PolyglotException refused) {
            return Optional.of(toSyntaxError(refused, "<function>:"));
        }
    }

    @Override
    public synchronized Optional<SyntaxError> checkProgram(String program) {
        try {
            checker().context().parse(source(SCRIPT_SOURCE, program));
            return Optional.empty();
        } catch (PolyglotException refused) {
            return Optional.of(toSyntaxError(refused, SCRIPT_SOURCE + ":"));
        }
    }

    private SyntaxCheckContext checker() {
        SyntaxCheckContext present = checker;
        if (present == null) {
            Context context = newContext();
            present = new SyntaxCheckContext(context, context.eval(JS, "(async()=>{}).constructor"));
            checker = present;
        }
        return present;
    }

    @Override
    public void close() {
        engine.close(true);
    }

    private SyntaxError toSyntaxError(PolyglotException refused, String source) {
        if (refused.isResourceExhausted()) {
            reportStackOverflow();
        }
        String text = String.valueOf(refused.getMessage());
        Matcher matcher = SYNTAX_ERROR.matcher(text);
        if (matcher.matches()) {
            SourceSection section = refused.getSourceLocation();
            // The message counts more kinds of line ends than source positions do.
            SourcePosition place = section != null
                            && section.getSource().getName().equals(SCRIPT_SOURCE)
                    ? new SourcePosition(section.getStartLine(), section.getStartColumn())
                    : new SourcePosition(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)) + 1);
            return new SyntaxError("SyntaxError: " + matcher.group(3), place);
        }
        boolean words = refused.isGuestException() && !refused.isInternalError();
        return new SyntaxError(
                words ? text.lines().findFirst().orElse("").replace(source, "") : "The script cannot be parsed",
                SourcePosition.UNKNOWN);
    }

    private static Source loadResource(String name) {
        try (InputStream stream = GuestEngine.class.getResourceAsStream(name + ".js")) {
            if (stream == null) {
                throw new IllegalStateException("missing resource " + name);
            }
            String code = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            return Source.newBuilder(JS, code, "sallyport:" + name)
                    .internal(true)
                    .buildLiteral();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
