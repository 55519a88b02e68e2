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
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.BackendType;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.SecretReferences;
import org.sallyport.connector.SecretResolverFactory;

/** MCP servers that run as processes on this node: {@code command}, {@code args}, {@code env}, {@code cwd}. */
public final class McpStdioBackendType implements BackendType {
    private static final Set<String> SETTING_NAMES =
            Set.of("command", "args", "env", "cwd", "startMillis", "pingMillis", "sendCallId", "maxLineBytes");
    private static final int DEFAULT_LINE_BYTES = 4 * 1024 * 1024;
    private static final int MAX_LINE_BYTES = 64 * 1024 * 1024;

    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final ThreadFactory threads;
    private final RandomGenerator random;
    private final SecretResolverFactory secrets;

    /**
     * @param executor runs tasks that block on the database
     * @param threads creates the threads that read and write process streams
     */
    public McpStdioBackendType(
            ScheduledExecutorService scheduler,
            Executor executor,
            ThreadFactory threads,
            RandomGenerator random,
            SecretResolverFactory secrets) {
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
        Set<String> known = new TreeSet<>(CallSettings.SETTING_NAMES);
        known.addAll(SETTING_NAMES);
        settings.allowOnly(known);
        settings.text("command");
        settings.textList("args").forEach(argument -> SecretReferences.checkText(settings, "args", argument));
        settings.textMap("env").forEach((name, value) -> {
            if (name.isEmpty() || name.indexOf('=') >= 0) {
                throw settings.invalid("env", "has a variable without a name or with '=' in it");
            }
            SecretReferences.check(settings, "env." + name, value);
        });
        directory(settings);
        clientOptions(settings);
        settings.integer("maxLineBytes", DEFAULT_LINE_BYTES, 1_024, MAX_LINE_BYTES);
    }

    private static Optional<Path> directory(BackendSettings settings) {
        return settings.optionalText("cwd").map(Path::of);
    }

    static McpBackend.McpClientOptions clientOptions(BackendSettings settings) {
        return new McpBackend.McpClientOptions(
                Duration.ofMillis(settings.integer("startMillis", 60_000, 100, 600_000)),
                Duration.ofMillis(settings.integer("pingMillis", 30_000, 100, 3_600_000)),
                settings.flag("sendCallId", false));
    }

    @Override
    public BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        String command = settings.text("command");
        List<String> arguments = settings.textList("args");
        Map<String, String> environment = settings.textMap("env");
        Optional<Path> directory = directory(settings);
        int longestLine = settings.integer("maxLineBytes", DEFAULT_LINE_BYTES, 1_024, MAX_LINE_BYTES);
        return new McpBackend(
                (known, ended) -> {
                    List<String> line =
                            arguments.stream().map(known::resolveText).toList();
                    McpServerCommand program =
                            new McpServerCommand(command, line, known.resolve(environment), directory);
                    return new StdioTransport(program, known.redactor(), longestLine, threads, ended);
                },
                clientOptions(settings),
                listener,
                scheduler,
                executor,
                () -> secrets.resolverFor(definition),
                random);
    }
}
