package org.sallyport.it.security;

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
import org.sallyport.it.harness.ListeningSockets;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Cases that need more than one request, or that are no scripts. */
final class ServiceAttacks {
    private static final String CONTAINED = "contained";
    private static final long LATE_MILLIS = 700;

    private ServiceAttacks() {}

    static List<AttackCase> all() {
        AttackExpectation contained = AttackExpectation.outcome(CONTAINED);
        return List.of(
                AttackCase.of("C16", "forged replies and messages", contained, ServiceAttacks::closedBroker),
                AttackCase.documentedOnly(
                        "C28", "messages of Java objects", "contained by absence as C16: no port leads to the broker"),
                AttackCase.of(
                        "C17", "a reply after the deadline", contained, arena -> lateReply(arena, 200, "", false)),
                AttackCase.of(
                        "C17b", "a reply after the cancel", contained, arena -> lateReply(arena, 9_000, "", true)),
                AttackCase.of(
                        "C17c",
                        "a reply after the end",
                        contained,
                        arena -> lateReply(arena, 9_000, "return 'early';", false)),
                AttackCase.of(
                        "C18", "output that looks like a log or an event", contained, ServiceAttacks::logInjection),
                AttackCase.of("D04c", "labels too long, too many and strange", contained, ServiceAttacks::labels),
                AttackCase.of("D05", "signs of SQL in every filter", contained, ServiceAttacks::filters),
                AttackCase.of("X21", "a call after the end of its script", contained, ServiceAttacks::callAfterTheEnd),
                AttackCase.of(
                        "X22",
                        "an effect that the end of its script overtakes",
                        contained,
                        ServiceAttacks::overtakenEffect));
    }

    /**
     * The broker runs inside the server. The only listening sockets are those of the API and of this test's database.
     */
    private static AttackResult closedBroker(SecurityTestServer arena) {
        List<String> open =
                new ArrayList<>(ListeningSockets.findByProcess(arena.server().pid()));
        open.removeIf(address ->
                address.endsWith(":" + arena.server().url().getPort()) || address.endsWith(":" + databasePort(arena)));
        return AttackResult.of(open.isEmpty() ? CONTAINED : "open: " + open, "");
    }

    private static String databasePort(SecurityTestServer arena) {
        try {
            Matcher server = Pattern.compile("server=[^:]*:(\\d+)")
                    .matcher(Files.readString(arena.server().dataDirectory().resolve("sallyport.lock.db")));
            return server.find() ? server.group(1) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A reply that a tool sends after the end of an execution must not change the execution. */
    private static AttackResult lateReply(SecurityTestServer arena, long wall, String end, boolean cancel) {
        RestClient api = arena.api();
        String wait = end.isEmpty() ? "await " : "";
        String id = api.submit(SubmissionBody.javascript("console.log('begun'); const late = demo.slow({ millis: "
                        + LATE_MILLIS + ", value: 'late' }); late.catch(() => {}); " + wait + "late; " + end)
                .limit("wallMillis", wall));
        if (cancel) {
            api.awaitOutput(id, "begun");
            api.cancel(id).expectStatus(202);
        }
        AttackResult first = arena.awaitResult(id);
        // Waits until the late reply must have arrived.
        arena.run(SubmissionBody.javascript("await demo.slow({ millis: " + 2 * LATE_MILLIS + " });"));
        AttackResult second = arena.awaitResult(id);
        if (!first.visibleText().equals(second.visibleText())) {
            throw new AssertionError("it changed from " + first.visibleText() + " to " + second.visibleText());
        }
        return AttackResult.of(
                first.visibleText().contains("\"late\"") && !first.visibleText().contains("cancelled")
                        ? "the reply came in"
                        : CONTAINED,
                second.visibleText());
    }

    /** Text of a script must not become a line of the log. */
    private static AttackResult logInjection(SecurityTestServer arena) {
        String mark = "hostile-log";
        String seen = "";
        for (String code : List.of(
                "console.log('{\"level\":\"INFO\",\"event\":\"APPROVED\",\"hostile-log\":1}\\r\\n2026-11-21 SEVERE "
                        + "hostile-log');"
                        + "console.error('\\u001b[2Jhostile-log');",
                "throw new Error('x\\r\\n2026-11-21T18:00:00.000+0000 SEVERE hostile-log');",
                "await demo.fail({ message: '\\nhostile-log', code: 'hostile-log' });",
                "await tools['hostile-log']['\\nhostile-log']({});",
                "Promise.reject('\\nhostile-log'); await sleep(1000);")) {
            seen += arena.run(SubmissionBody.javascript(code).label("a", "\nhostile-log"))
                    .visibleText();
        }
        return AttackResult.of(arena.server().logText().contains(mark) ? "in the log" : CONTAINED, seen);
    }

    private static AttackResult labels(SecurityTestServer arena) {
        SubmissionBody plain = SubmissionBody.javascript("return 1;");
        SubmissionBody many = plain;
        for (int i = 0; i < 2_000; i++) {
            many = many.label("l" + i, "x");
        }
        List<SubmissionBody> tries = List.of(
                plain.label("l".repeat(300), "x"),
                plain.label("l", "x".repeat(300)),
                plain.label("l", "x".repeat(1_000_000)),
                plain.label("", "x"),
                plain.label("\u0000\n\u001b[2J", "\u0000\n'\";--"),
                plain.label("__proto__", "x"),
                many,
                plain.with(
                        "intent",
                        TestJson.write(
                                TestJson.array().add("i".repeat(1_000_000)).get(0))),
                plain.with("concurrencyKey", "\"" + "k".repeat(10_000) + "\""),
                plain.with("concurrencyKey", "\"\\u0000\\n'\\\";--\""),
                plain.with("concurrencyKey", "\"\\ud800" + "\uD83D\uDE00".repeat(99) + "\""));
        StringBuilder seen = new StringBuilder();
        for (SubmissionBody each : tries) {
            RestResponse answer = arena.api().post(RestClient.EXECUTIONS, each.json());
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
        return AttackResult.of(CONTAINED, seen.toString());
    }

    private static AttackResult filters(SecurityTestServer arena) {
        StringBuilder seen = new StringBuilder();
        for (String evil :
                List.of("id;drop table execution", "' or 1=1 --", "\") or true", "%", "\u0000", "x".repeat(5_000))) {
            for (String name :
                    List.of("sort", "state", "label", "q", "cursor", "tool", "capability", "since", "limit")) {
                RestResponse answer = arena.api()
                        .get(RestClient.EXECUTIONS + "?" + name + "="
                                + URLEncoder.encode(evil, StandardCharsets.UTF_8));
                if (answer.status() >= 500) {
                    throw new AssertionError(name + "=" + evil + ": " + answer);
                }
                seen.append(answer.status() == 200 ? "" : answer.text());
            }
        }
        return AttackResult.of(CONTAINED, seen.toString());
    }

    private static AttackResult callAfterTheEnd(SecurityTestServer arena) {
        AttackResult ended =
                arena.run(SubmissionBody.javascript("setTimeout(() => demo.counter_increment({ name: 'X21' }), 30);"
                        + "Promise.resolve().then(() => sleep(30)).then(() => demo.counter_increment({ name: 'X21' }));"
                        + "return 'returned';"));
        arena.run(SubmissionBody.javascript("await sleep(200);"));
        long count = count(arena, "X21");
        return AttackResult.of(count == 0 ? CONTAINED : count + " calls after the end", ended.visibleText());
    }

    /** The service knows all effects of an execution when it ends: no effect may happen after that. */
    private static AttackResult overtakenEffect(SecurityTestServer arena) {
        AttackResult ended = arena.run(SubmissionBody.javascript(
                "demo.counter_increment({ name: 'X22', delayMillis: 500 }).catch(() => {}); await sleep(50); "
                        + "return 'returned';"));
        long then = count(arena, "X22");
        arena.run(SubmissionBody.javascript("await sleep(900);"));
        long later = count(arena, "X22");
        return AttackResult.of(then == later ? CONTAINED : "an effect came after the end", ended.visibleText());
    }

    private static long count(SecurityTestServer arena, String name) {
        JsonNode count = arena.run(SubmissionBody.javascript("return demo.counter_read({ name: '" + name + "' });"))
                .result();
        return count.asLong(-1);
    }
}
