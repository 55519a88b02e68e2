package org.sallyport.connector.mcp;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.connector.BackendKind;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.LiveBackend;
import org.sallyport.connector.SecretAccess;
import org.sallyport.connector.Secrets;

/** MCP servers that are processes of this node: {@code command}, {@code args}, {@code env}, {@code cwd}. */
public final class McpStdio implements BackendKind {
    private static final Set<String> OWN =
            Set.of("command", "args", "env", "cwd", "startMillis", "pingMillis", "maxLineBytes");
    private static final int LINE = 4 * 1024 * 1024;
    private static final int LONGEST_LINE = 64 * 1024 * 1024;

    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final ThreadFactory threads;
    private final RandomGenerator random;
    private final SecretAccess secrets;

    /**
     * @param executor runs what waits for the database
     * @param threads read and write the streams of processes
     */
    public McpStdio(
            ScheduledExecutorService scheduler,
            Executor executor,
            ThreadFactory threads,
            RandomGenerator random,
            SecretAccess secrets) {
        this.scheduler = scheduler;
        this.executor = executor;
        this.threads = threads;
        this.random = random;
        this.secrets = secrets;
    }

    @Override
    public String name() {
        return "mcp-stdio";
    }

    @Override
    public Set<String> secretSettings() {
        return Set.of("env");
    }

    @Override
    public void check(BackendSettings settings) {
        Set<String> known = new TreeSet<>(CallSettings.NAMES);
        known.addAll(OWN);
        settings.allow(known);
        settings.text("command");
        settings.texts("args").forEach(argument -> Secrets.checkText(settings, "args", argument));
        settings.map("env").forEach((name, value) -> {
            if (name.isEmpty() || name.indexOf('=') >= 0) {
                throw settings.fault("env", "has a variable without a name or with '=' in it");
            }
            Secrets.check(settings, "env." + name, value);
        });
        directory(settings);
        timing(settings);
        settings.whole("maxLineBytes", LINE, 1_024, LONGEST_LINE);
    }

    private static Optional<Path> directory(BackendSettings settings) {
        return settings.optionalText("cwd").map(Path::of);
    }

    static McpBackend.Timing timing(BackendSettings settings) {
        return new McpBackend.Timing(
                Duration.ofMillis(settings.whole("startMillis", 60_000, 100, 600_000)),
                Duration.ofMillis(settings.whole("pingMillis", 30_000, 100, 3_600_000)));
    }

    @Override
    public LiveBackend open(BackendDefinition definition, LiveBackend.Listener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        String command = settings.text("command");
        List<String> arguments = settings.texts("args");
        Map<String, String> environment = settings.map("env");
        Optional<Path> directory = directory(settings);
        int longestLine = settings.whole("maxLineBytes", LINE, 1_024, LONGEST_LINE);
        return new McpBackend(
                (known, ended) -> {
                    List<String> line =
                            arguments.stream().map(known::resolveText).toList();
                    ServerProcess program = new ServerProcess(command, line, known.resolve(environment), directory);
                    return new StdioTransport(program, known.redaction(), longestLine, threads, ended);
                },
                timing(settings),
                listener,
                scheduler,
                executor,
                () -> secrets.of(definition),
                random);
    }
}
