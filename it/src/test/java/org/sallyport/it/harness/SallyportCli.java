package org.sallyport.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Runs the command of the checkout as a user with a key of a server and a separate home directory. Records the command
 * lines.
 */
public final class SallyportCli {
    private final Map<String, String> environment;
    private final List<String> history;

    private SallyportCli(Map<String, String> environment, List<String> typed) {
        this.environment = environment;
        this.history = typed;
    }

    /** A user of a server with the server's first key. */
    public static SallyportCli of(SallyportServer server, Path home) {
        return new SallyportCli(
                environment(server.url().toString(), server.adminKey(), home), new CopyOnWriteArrayList<>());
    }

    private static Map<String, String> environment(String url, String key, Path home) {
        return Map.of(
                "SALLYPORT_URL",
                url,
                "SALLYPORT_KEY",
                key,
                // A directory without a local service.
                "SALLYPORT_DATA",
                home.resolve("data").toString(),
                "XDG_CONFIG_HOME",
                home.resolve("config").toString());
    }

    /** The same home and key, with another URL of the server. */
    public SallyportCli withUrl(String url) {
        Map<String, String> other = new HashMap<>(environment);
        other.put("SALLYPORT_URL", url);
        return new SallyportCli(Map.copyOf(other), history);
    }

    /** The same home with another key. */
    public SallyportCli withKey(String key) {
        Map<String, String> other = new HashMap<>(environment);
        other.put("SALLYPORT_KEY", key);
        return new SallyportCli(Map.copyOf(other), history);
    }

    /** Runs the command. */
    public CommandResult run(String... words) {
        List<String> command = new ArrayList<>(List.of("./sallyport"));
        command.addAll(Arrays.asList(words));
        history.add(String.join(" ", words));
        return CommandResult.run(environment, command);
    }

    /** Starts the command with its output in these files and does not wait for its end. */
    public Process start(Path out, Path err, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("./sallyport"));
        command.addAll(Arrays.asList(words));
        history.add(String.join(" ", words));
        return CommandResult.start(environment, command, out, err);
    }

    /** Runs the command with {@code --json} and parses the JSON document that it must print. */
    public JsonNode runJson(int exit, String... words) {
        return TestJson.read(run(appendJsonOption(words)).expectExitCode(exit).output());
    }

    /** Runs the command with {@code --json}; it must succeed. */
    public JsonNode runJson(String... words) {
        return runJson(0, words);
    }

    /** Runs the command with a file as its standard input. */
    public CommandResult runWithInput(Path input, String... words) {
        history.add(String.join(" ", words));
        List<String> command = new ArrayList<>(List.of("bash", "-c", "./sallyport \"$@\" < \"$0\"", input.toString()));
        command.addAll(Arrays.asList(words));
        return CommandResult.run(environment, command);
    }

    /** Runs the command in a terminal and returns what the terminal received. Ignores the exit code. */
    public String runInTerminal(String... words) {
        List<String> quoted = new ArrayList<>(List.of("./sallyport"));
        Arrays.stream(words).map(word -> "'" + word.replace("'", "'\\''") + "'").forEach(quoted::add);
        return CommandResult.run(
                        environment, List.of("script", "--quiet", "--command", String.join(" ", quoted), "/dev/null"))
                .output();
    }

    /** All command lines so far. */
    public List<String> history() {
        return List.copyOf(history);
    }

    private static String[] appendJsonOption(String... words) {
        String[] more = Arrays.copyOf(words, words.length + 1);
        more[words.length] = "--json";
        return more;
    }
}
