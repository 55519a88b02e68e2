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

/** The command of the checkout, typed by somebody who has a key of a server and a home of his own. Remembers what was typed. */
public final class SallyportCli {
    private final Map<String, String> environment;
    private final List<String> history;

    private SallyportCli(Map<String, String> environment, List<String> typed) {
        this.environment = environment;
        this.history = typed;
    }

    /** One for a server, with its first key. */
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
                // Where no service of this machine is.
                "SALLYPORT_DATA",
                home.resolve("data").toString(),
                "XDG_CONFIG_HOME",
                home.resolve("config").toString());
    }

    /** The same home and key, with another way to the server. */
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

    /** Types it. */
    public CommandResult run(String... words) {
        List<String> command = new ArrayList<>(List.of("./sallyport"));
        command.addAll(Arrays.asList(words));
        history.add(String.join(" ", words));
        return CommandResult.run(environment, command);
    }

    /** Types it, and does not wait for what comes of it: it is written to these files. */
    public Process start(Path out, Path err, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("./sallyport"));
        command.addAll(Arrays.asList(words));
        history.add(String.join(" ", words));
        return CommandResult.start(environment, command, out, err);
    }

    /** Types it with {@code --json}, which must give a document. */
    public JsonNode runJson(int exit, String... words) {
        return TestJson.read(run(appendJsonOption(words)).expectExitCode(exit).output());
    }

    /** Types it with {@code --json}, which must go well. */
    public JsonNode runJson(String... words) {
        return runJson(0, words);
    }

    /** Types it with a file as its input. */
    public CommandResult runWithInput(Path input, String... words) {
        history.add(String.join(" ", words));
        List<String> command = new ArrayList<>(List.of("bash", "-c", "./sallyport \"$@\" < \"$0\"", input.toString()));
        command.addAll(Arrays.asList(words));
        return CommandResult.run(environment, command);
    }

    /** Types it at a terminal: what that was sent. Its exit code does not matter. */
    public String runInTerminal(String... words) {
        List<String> quoted = new ArrayList<>(List.of("./sallyport"));
        Arrays.stream(words).map(word -> "'" + word.replace("'", "'\\''") + "'").forEach(quoted::add);
        return CommandResult.run(
                        environment, List.of("script", "--quiet", "--command", String.join(" ", quoted), "/dev/null"))
                .output();
    }

    /** The words of all that was typed. */
    public List<String> history() {
        return List.copyOf(history);
    }

    private static String[] appendJsonOption(String... words) {
        String[] more = Arrays.copyOf(words, words.length + 1);
        more[words.length] = "--json";
        return more;
    }
}
