package org.sallyport.it.security;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.TestJson;

/** Requests that fill the memory of a server which builds what it is sent before it looks at it, or occupy its CPU. */
final class MemoryAttacks {
    private static final String BATCHES = "/api/v1/batches";
    private static final int MEGABYTE = 1_000_000;
    private static final int HEALTH_CLIENTS = 24;
    private static final int HEALTH_REQUESTS = 50;
    private static final Set<String> REFUSED_BODIES = Set.of("413 payload-too-large", "503 unavailable");

    private MemoryAttacks() {}

    static List<AttackCase> all() {
        AttackExpectation contained = AttackExpectation.outcome(ResponseCheck.CONTAINED);
        return List.of(
                AttackCase.of("F01", "eight bodies of a million empty objects", contained, MemoryAttacks::manyValues)
                        .asExclusive(),
                AttackCase.of("F02", "a batch with a name of 250 MB", contained, MemoryAttacks::hugeName)
                        .asSlow()
                        .asExclusive(),
                AttackCase.of("F03", "a batch with six million members", contained, MemoryAttacks::manyMembers)
                        .asSlow()
                        .asExclusive(),
                AttackCase.of("F13", "sixty-four messages of 4 MB to /mcp", contained, MemoryAttacks::manyMessages)
                        .asSlow()
                        .asExclusive(),
                AttackCase.of(
                                "F14",
                                "sixty-four checks of a text that a scan could read for minutes",
                                contained,
                                MemoryAttacks::slowScans)
                        .asExclusive(),
                AttackCase.of("F15", "health asked from 24 connections without a key", contained, MemoryAttacks::health)
                        .asExclusive());
    }

    private static String emptyObjects() {
        return "[" + "{},".repeat(1_390_000) + "1]";
    }

    /** Those that do not fit into the memory for bodies together are refused without being parsed. */
    private static AttackResult manyValues(SecurityTestServer arena) {
        BodyPublisher body = RestClient.body("{\"code\":\"1\",\"args\":" + emptyObjects() + "}");
        return ResponseCheck.checkRefusals(
                ResponseCheck.sendTogether(arena.api(), 8, () -> jsonRequest(arena, RestClient.EXECUTIONS, body)),
                REFUSED_BODIES);
    }

    private static HttpRequest.Builder jsonRequest(SecurityTestServer arena, String path, BodyPublisher body) {
        return arena.api()
                .request(path)
                .header("Content-Type", "application/json")
                .POST(body);
    }

    private static AttackResult hugeName(SecurityTestServer arena) {
        byte[] piece = "a".repeat(MEGABYTE).getBytes(StandardCharsets.US_ASCII);
        return sendBatch(
                arena,
                Stream.concat(
                        Stream.of(bytes("{\"")),
                        Stream.concat(
                                Stream.generate(() -> piece).limit(250), Stream.of(bytes("\":1,\"items\":[]}")))));
    }

    private static AttackResult manyMembers(SecurityTestServer arena) {
        return sendBatch(
                arena,
                Stream.concat(
                        Stream.of(bytes("{")),
                        Stream.concat(
                                IntStream.range(0, 60).mapToObj(MemoryAttacks::members),
                                Stream.of(bytes("\"items\":[]}")))));
    }

    private static byte[] members(int piece) {
        return bytes(IntStream.range(0, 100_000)
                .mapToObj(number -> "\"m" + piece + "_" + number + "\":1,")
                .collect(Collectors.joining()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static AttackResult sendBatch(SecurityTestServer arena, Stream<byte[]> pieces) {
        RestResponse answer =
                arena.api().send(jsonRequest(arena, BATCHES, BodyPublishers.ofByteArrays(pieces::iterator)));
        return ResponseCheck.checkRefusals(List.of(answer), Set.of("400 validation"));
    }

    /** A message that cannot be parsed is answered with an error of JSON-RPC. */
    private static AttackResult manyMessages(SecurityTestServer arena) {
        BodyPublisher body = RestClient.body(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"a\":" + emptyObjects() + "}}");
        return ResponseCheck.checkRefusals(
                ResponseCheck.sendTogether(
                        arena.api(),
                        64,
                        () -> jsonRequest(arena, "/mcp", body).header("Accept", "application/json, text/event-stream")),
                Set.of("400", "413 payload-too-large", "429 rate-limited", "503 unavailable"));
    }

    /** Workers read the text, with a time limit. */
    private static AttackResult slowScans(SecurityTestServer arena) {
        BodyPublisher body = RestClient.body(TestJson.write(TestJson.object().put("code", "=/[".repeat(87_000))));
        List<RestResponse> answers =
                ResponseCheck.sendTogether(arena.api(), 64, () -> jsonRequest(arena, "/api/v1/validate", body));
        if (answers.stream()
                .anyMatch(answer ->
                        answer.status() == 200 && answer.json().path("valid").asBoolean(true))) {
            return AttackResult.of("the text is valid", "");
        }
        return ResponseCheck.checkResponses(answers, Set.of("200", "429 rate-limited", "503 unavailable"));
    }

    private static AttackResult health(SecurityTestServer arena) {
        RestClient stranger = arena.api().withoutKey();
        Supplier<List<RestResponse>> client = () -> Stream.generate(() -> stranger.get("/health/ready"))
                .limit(HEALTH_REQUESTS)
                .toList();
        ExecutorService lanes = Executors.newFixedThreadPool(HEALTH_CLIENTS);
        try {
            List<CompletableFuture<List<RestResponse>>> clients = Stream.generate(
                            () -> CompletableFuture.supplyAsync(client, lanes))
                    .limit(HEALTH_CLIENTS)
                    .toList();
            return ResponseCheck.checkResponses(
                    clients.stream()
                            .map(CompletableFuture::join)
                            .flatMap(List::stream)
                            .toList(),
                    Set.of("200", "429 rate-limited"));
        } finally {
            lanes.shutdownNow();
        }
    }
}
