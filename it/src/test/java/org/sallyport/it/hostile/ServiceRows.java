package org.sallyport.it.hostile;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Sockets;
import org.sallyport.it.harness.Submission;

/** Rows that need more than one request, or that are no script at all. */
final class ServiceRows {
    private static final String CONTAINED = "contained";
    private static final long LATE_MILLIS = 700;

    private ServiceRows() {}

    static List<Row> all() {
        Expected contained = Expected.outcome(CONTAINED);
        return List.of(
                Row.of("C16", "forged replies and messages", contained, ServiceRows::closedBroker),
                Row.remarked(
                        "C28", "messages of Java objects", "contained by absence as C16: no port leads to the broker"),
                Row.of("C17", "a reply after the deadline", contained, arena -> lateReply(arena, 200, "", false)),
                Row.of("C17b", "a reply after the cancel", contained, arena -> lateReply(arena, 9_000, "", true)),
                Row.of(
                        "C17c",
                        "a reply after the end",
                        contained,
                        arena -> lateReply(arena, 9_000, "return 'early';", false)),
                Row.of("C18", "output that looks like a log or an event", contained, ServiceRows::logInjection),
                Row.of("D04c", "labels too long, too many and strange", contained, ServiceRows::labels),
                Row.of("D05", "signs of SQL in every filter", contained, ServiceRows::filters),
                Row.of("X21", "a call after the end of its script", contained, ServiceRows::callAfterTheEnd),
                Row.of(
                        "X22",
                        "an effect that the end of its script overtakes",
                        contained,
                        ServiceRows::overtakenEffect));
    }

    /** The broker is inside the server, and the only sockets are the API's and the one of this test's own database. */
    private static Sighting closedBroker(Arena arena) {
        List<String> open = new ArrayList<>(Sockets.listening(arena.server().pid()));
        open.removeIf(address ->
                address.endsWith(":" + arena.server().url().getPort()) || address.endsWith(":" + databasePort(arena)));
        return Sighting.of(open.isEmpty() ? CONTAINED : "open: " + open, "");
    }

    private static String databasePort(Arena arena) {
        try {
            Matcher server = Pattern.compile("server=[^:]*:(\\d+)")
                    .matcher(Files.readString(arena.server().data().resolve("sallyport.lock.db")));
            return server.find() ? server.group(1) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Nothing of an execution changes when a tool answers that it has not waited for. */
    private static Sighting lateReply(Arena arena, long wall, String end, boolean cancel) {
        Api api = arena.api();
        String wait = end.isEmpty() ? "await " : "";
        String id = api.submit(Submission.javascript("console.log('begun'); const late = demo.slow({ millis: "
                        + LATE_MILLIS + ", value: 'late' }); late.catch(() => {}); " + wait + "late; " + end)
                .limit("wallMillis", wall));
        if (cancel) {
            api.awaitOutput(id, "begun");
            api.cancel(id).expect(202);
        }
        Sighting first = arena.sighting(id);
        // Time passes here for its own sake: the reply must have come.
        arena.run(Submission.javascript("await demo.slow({ millis: " + 2 * LATE_MILLIS + " });"));
        Sighting second = arena.sighting(id);
        if (!first.seen().equals(second.seen())) {
            throw new AssertionError("it changed from " + first.seen() + " to " + second.seen());
        }
        return Sighting.of(
                first.seen().contains("\"late\"") && !first.seen().contains("cancelled")
                        ? "the reply came in"
                        : CONTAINED,
                second.seen());
    }

    /** Nothing that a script says is a line of the log. */
    private static Sighting logInjection(Arena arena) {
        String mark = "hostile-log";
        String seen = "";
        for (String code : List.of(
                "console.log('{\"level\":\"INFO\",\"event\":\"APPROVED\",\"hostile-log\":1}\\r\\n2026-11-21 SEVERE hostile-log');"
                        + "console.error('\\u001b[2Jhostile-log');",
                "throw new Error('x\\r\\n2026-11-21T18:00:00.000+0000 SEVERE hostile-log');",
                "await demo.fail({ message: '\\nhostile-log', code: 'hostile-log' });",
                "await tools['hostile-log']['\\nhostile-log']({});",
                "Promise.reject('\\nhostile-log'); await sleep(1000);")) {
            seen += arena.run(Submission.javascript(code).label("a", "\nhostile-log"))
                    .seen();
        }
        return Sighting.of(arena.server().logText().contains(mark) ? "in the log" : CONTAINED, seen);
    }

    private static Sighting labels(Arena arena) {
        Submission plain = Submission.javascript("return 1;");
        Submission many = plain;
        for (int i = 0; i < 2_000; i++) {
            many = many.label("l" + i, "x");
        }
        List<Submission> tries = List.of(
                plain.label("l".repeat(300), "x"),
                plain.label("l", "x".repeat(300)),
                plain.label("l", "x".repeat(1_000_000)),
                plain.label("", "x"),
                plain.label("\u0000\n\u001b[2J", "\u0000\n'\";--"),
                plain.label("__proto__", "x"),
                many,
                plain.with(
                        "intent",
                        Json.write(Json.array().add("i".repeat(1_000_000)).get(0))),
                plain.with("concurrencyKey", "\"" + "k".repeat(10_000) + "\""),
                plain.with("concurrencyKey", "\"\\u0000\\n'\\\";--\""),
                plain.with("concurrencyKey", "\"\\ud800" + "\uD83D\uDE00".repeat(99) + "\""));
        StringBuilder seen = new StringBuilder();
        for (Submission each : tries) {
            Answer answer = arena.api().post(Api.EXECUTIONS, each.json());
            if (answer.status() >= 500) {
                throw new AssertionError("the service failed: " + answer);
            }
            if (each.json().contains("k".repeat(10_000))
                    && !(answer.status() == 400 && answer.text().contains("'concurrencyKey' must have at most"))) {
                throw new AssertionError("a key without bound: " + answer);
            }
            seen.append(answer.text(), 0, Math.min(2_000, answer.text().length()));
            if (answer.status() == 202) {
                arena.api().awaitEnd(answer.json().path("id").asText());
            }
        }
        return Sighting.of(CONTAINED, seen.toString());
    }

    private static Sighting filters(Arena arena) {
        StringBuilder seen = new StringBuilder();
        for (String evil :
                List.of("id;drop table execution", "' or 1=1 --", "\") or true", "%", "\u0000", "x".repeat(5_000))) {
            for (String name :
                    List.of("sort", "state", "label", "q", "cursor", "tool", "capability", "since", "limit")) {
                Answer answer = arena.api()
                        .get(Api.EXECUTIONS + "?" + name + "=" + URLEncoder.encode(evil, StandardCharsets.UTF_8));
                if (answer.status() >= 500) {
                    throw new AssertionError(name + "=" + evil + ": " + answer);
                }
                seen.append(answer.status() == 200 ? "" : answer.text());
            }
        }
        return Sighting.of(CONTAINED, seen.toString());
    }

    private static Sighting callAfterTheEnd(Arena arena) {
        Sighting ended =
                arena.run(Submission.javascript("setTimeout(() => demo.counter_increment({ name: 'X21' }), 30);"
                        + "Promise.resolve().then(() => sleep(30)).then(() => demo.counter_increment({ name: 'X21' }));"
                        + "return 'returned';"));
        arena.run(Submission.javascript("await sleep(200);"));
        long count = count(arena, "X21");
        return Sighting.of(count == 0 ? CONTAINED : count + " calls after the end", ended.seen());
    }

    /** What the execution did is known when it ends: no effect may come after that. */
    private static Sighting overtakenEffect(Arena arena) {
        Sighting ended = arena.run(
                Submission.javascript(
                        "demo.counter_increment({ name: 'X22', delayMillis: 500 }).catch(() => {}); await sleep(50); return 'returned';"));
        long then = count(arena, "X22");
        arena.run(Submission.javascript("await sleep(900);"));
        long later = count(arena, "X22");
        return Sighting.of(then == later ? CONTAINED : "an effect came after the end", ended.seen());
    }

    private static long count(Arena arena, String name) {
        JsonNode count = arena.run(Submission.javascript("return demo.counter_read({ name: '" + name + "' });"))
                .result();
        return count.asLong(-1);
    }
}
