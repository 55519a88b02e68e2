package org.sallyport.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpTimeoutException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Describes the state of the servers after a test failure: their last warnings and, if a request timed out, the stacks
 * of their threads. The text is short, because the summary of a build shows it.
 */
final class FailureDiagnostics {
    private static final int MAX_EXECUTIONS = 3;
    private static final int MAX_EVENTS = 8;
    private static final int MAX_WARNINGS = 5;
    private static final int LINES_PER_WARNING = 4;
    private static final int MAX_STACKS = 6;
    private static final int MAX_FRAMES = 5;
    private static final int MAX_LENGTH = 2_500;

    private FailureDiagnostics() {}

    /** The end of the server's log, the last events of the newest executions, and a thread dump. Long. */
    static String fullReport(SallyportServer server) {
        if (!server.wasStarted() || !server.isAlive()) {
            return server.logTail();
        }
        String events = server.clients().map(FailureDiagnostics::lastEvents).collect(Collectors.joining());
        return server.logTail() + events + "\nIts threads:\n" + ProcessInspector.jcmd(server.pid(), "Thread.print");
    }

    private static String lastEvents(RestClient api) {
        try {
            return api.get("/api/v1/executions?limit=" + MAX_EXECUTIONS)
                    .json()
                    .path("items")
                    .valueStream()
                    .map(execution -> "\n" + execution + "\n"
                            + lastEvents(api, execution.path("id").asText()))
                    .collect(Collectors.joining());
        } catch (AssertionError | RuntimeException noAnswer) {
            return "\nIts executions cannot be had: " + noAnswer.getMessage();
        }
    }

    private static String lastEvents(RestClient api, String execution) {
        List<JsonNode> events = api.getTrace(execution);
        return events.stream()
                .skip(Math.max(0, events.size() - MAX_EVENTS))
                .map(event -> "    " + event)
                .collect(Collectors.joining("\n"));
    }

    /** Returns an empty text if no server has a warning to report. */
    static String summarize(Throwable failure) {
        String said = RunningServerRegistry.all().stream()
                .filter(SallyportServer::wasStarted)
                .map(server -> lastWarnings(server) + (isHttpTimeout(failure) ? commonStacks(server) : ""))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("\n"));
        return said.length() > MAX_LENGTH ? said.substring(0, MAX_LENGTH) + " \u2026" : said;
    }

    private static boolean isHttpTimeout(Throwable failure) {
        return Stream.iterate(failure, each -> each != null, Throwable::getCause)
                .anyMatch(HttpTimeoutException.class::isInstance);
    }

    private static String lastWarnings(SallyportServer server) {
        List<String> lines = server.logText().lines().toList();
        List<Integer> places = Stream.iterate(0, at -> at < lines.size(), at -> at + 1)
                .filter(at ->
                        lines.get(at).contains(" SEVERE ") || lines.get(at).contains(" WARNING "))
                .toList();
        return places.stream()
                .skip(Math.max(0, places.size() - MAX_WARNINGS))
                .map(at -> String.join("\n", lines.subList(at, Math.min(lines.size(), at + LINES_PER_WARNING))))
                .map(text -> "\n" + server.url() + " said: " + text)
                .collect(Collectors.joining());
    }

    /** The most frequent stacks. */
    private static String commonStacks(SallyportServer server) {
        Map<String, Long> stacks = Arrays.stream(
                        ProcessInspector.jcmd(server.pid(), "Thread.print").split("\n\n"))
                .filter(thread -> thread.contains("org.sallyport."))
                .map(FailureDiagnostics::shortenStack)
                .collect(Collectors.groupingBy(each -> each, Collectors.counting()));
        return stacks.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .limit(MAX_STACKS)
                .map(stack -> "\n" + server.url() + ": " + stack.getValue() + " threads at " + stack.getKey())
                .collect(Collectors.joining());
    }

    /** The top frames of a thread and its frames in code of this project. */
    private static String shortenStack(String thread) {
        List<String> frames = thread.lines()
                .filter(line -> line.startsWith("\tat "))
                .map(line -> line.substring("\tat ".length()))
                .toList();
        List<String> own =
                frames.stream().filter(line -> line.contains("org.sallyport.")).toList();
        return Stream.concat(frames.stream().limit(2), own.stream().limit(MAX_FRAMES))
                .distinct()
                .collect(Collectors.joining(" < "));
    }
}
