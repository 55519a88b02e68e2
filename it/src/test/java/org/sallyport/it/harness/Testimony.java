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
 * What servers can say of a test that has failed: the last they complained of, and, when one of them gave no answer, where its
 * threads stood. Short, since the summary of a build shows it.
 */
final class Testimony {
    private static final int EXECUTIONS = 3;
    private static final int EVENTS = 8;
    private static final int COMPLAINTS = 5;
    private static final int LINES_AFTER = 4;
    private static final int STACKS = 6;
    private static final int FRAMES = 5;
    private static final int MOST = 2_500;

    private Testimony() {}

    /** The end of the server's log, the last events of the executions that were submitted last, and its threads. Long. */
    static String whole(SallyportServer server) {
        if (!server.hasBegun() || !server.isAlive()) {
            return server.logTail();
        }
        String events = server.clients().map(Testimony::lastEvents).collect(Collectors.joining());
        return server.logTail() + events + "\nIts threads:\n" + Processes.jcmd(server.pid(), "Thread.print");
    }

    private static String lastEvents(Api api) {
        try {
            return api.get("/api/v1/executions?limit=" + EXECUTIONS)
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

    private static String lastEvents(Api api, String execution) {
        List<JsonNode> events = api.trace(execution);
        return events.stream()
                .skip(Math.max(0, events.size() - EVENTS))
                .map(event -> "    " + event)
                .collect(Collectors.joining("\n"));
    }

    /** Empty when nobody has anything to say. */
    static String of(Throwable failure) {
        String said = RunningServers.all().stream()
                .filter(SallyportServer::hasBegun)
                .map(server -> complaints(server) + (noAnswer(failure) ? threads(server) : ""))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("\n"));
        return said.length() > MOST ? said.substring(0, MOST) + " \u2026" : said;
    }

    private static boolean noAnswer(Throwable failure) {
        return Stream.iterate(failure, each -> each != null, Throwable::getCause)
                .anyMatch(HttpTimeoutException.class::isInstance);
    }

    private static String complaints(SallyportServer server) {
        List<String> lines = server.logText().lines().toList();
        List<Integer> places = Stream.iterate(0, at -> at < lines.size(), at -> at + 1)
                .filter(at ->
                        lines.get(at).contains(" SEVERE ") || lines.get(at).contains(" WARNING "))
                .toList();
        return places.stream()
                .skip(Math.max(0, places.size() - COMPLAINTS))
                .map(at -> String.join("\n", lines.subList(at, Math.min(lines.size(), at + LINES_AFTER))))
                .map(text -> "\n" + server.url() + " said: " + text)
                .collect(Collectors.joining());
    }

    /** The commonest places. */
    private static String threads(SallyportServer server) {
        Map<String, Long> stacks = Arrays.stream(
                        Processes.jcmd(server.pid(), "Thread.print").split("\n\n"))
                .filter(thread -> thread.contains("org.sallyport."))
                .map(Testimony::frames)
                .collect(Collectors.groupingBy(each -> each, Collectors.counting()));
        return stacks.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .limit(STACKS)
                .map(stack -> "\n" + server.url() + ": " + stack.getValue() + " threads at " + stack.getKey())
                .collect(Collectors.joining());
    }

    /** Where it stands, and how it came there from our own code. */
    private static String frames(String thread) {
        List<String> frames = thread.lines()
                .filter(line -> line.startsWith("\tat "))
                .map(line -> line.substring("\tat ".length()))
                .toList();
        List<String> own =
                frames.stream().filter(line -> line.contains("org.sallyport.")).toList();
        return Stream.concat(frames.stream().limit(2), own.stream().limit(FRAMES))
                .distinct()
                .collect(Collectors.joining(" < "));
    }
}
