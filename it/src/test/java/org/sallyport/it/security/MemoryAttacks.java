package org.sallyport.it.security;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;

/** Requests that fill the memory of a server which builds what it is sent before it looks at it. */
final class MemoryAttacks {
    private static final String BATCHES = "/api/v1/batches";
    private static final int MEGABYTE = 1_000_000;

    private MemoryAttacks() {}

    static List<AttackCase> all() {
        AttackExpectation contained = AttackExpectation.outcome("contained");
        return List.of(
                AttackCase.of("F01", "eight bodies of a million empty objects", contained, MemoryAttacks::manyValues)
                        .asExclusive(),
                AttackCase.of("F02", "a batch with a name of 250 MB", contained, MemoryAttacks::hugeName)
                        .asSlow()
                        .asExclusive(),
                AttackCase.of("F03", "a batch with six million members", contained, MemoryAttacks::manyMembers)
                        .asSlow()
                        .asExclusive());
    }

    /** Those that do not fit into the memory for bodies together are refused without being parsed. */
    private static AttackResult manyValues(SecurityTestServer arena) {
        String body = "{\"code\":\"1\",\"args\":[" + "{},".repeat(1_390_000) + "1]}";
        List<CompletableFuture<RestResponse>> answers = IntStream.range(0, 8)
                .mapToObj(number -> arena.api().sendAsync(arena.api().submissionRequest(body)))
                .toList();
        return result(
                answers.stream().map(CompletableFuture::join).toList(),
                Set.of("413 payload-too-large", "503 unavailable"));
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
        BodyPublisher body = BodyPublishers.ofByteArrays(pieces::iterator);
        RestClient api = arena.api();
        RestResponse answer = api.send(
                api.request(BATCHES).header("Content-Type", "application/json").POST(body));
        return result(List.of(answer), Set.of("400 validation"));
    }

    private static AttackResult result(List<RestResponse> answers, Set<String> expected) {
        String seen = answers.stream().map(RestResponse::text).collect(Collectors.joining("\n"));
        List<String> others = answers.stream()
                .map(answer -> answer.status() + " " + answer.problemType())
                .filter(outcome -> !expected.contains(outcome))
                .toList();
        if (answers.stream().anyMatch(answer -> answer.text().length() > 2_000)) {
            return AttackResult.of("a long answer", seen);
        }
        return AttackResult.of(others.isEmpty() ? "contained" : "answered " + others, seen);
    }
}
