package org.sallyport.it.security;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SubmissionBody;

/** Requests that fill the memory of a server which builds bodies and responses before it looks at their size. */
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
                        .asExclusive(),
                AttackCase.of("F10", "150 downloads that are not read", contained, MemoryAttacks::unreadDownloads)
                        .asSlow()
                        .asExclusive(),
                AttackCase.of("F11", "a page of large approvals", contained, MemoryAttacks::largeApprovals)
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

    /** The server must not keep what the clients do not read. */
    private static AttackResult unreadDownloads(SecurityTestServer arena) {
        RestClient api = arena.api();
        String id = api.run(SubmissionBody.javascript("await artifacts.write('big', new Uint8Array(10_000_000));"))
                .path("id")
                .asText();
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest download = api.request(RestClient.EXECUTIONS + "/" + id + "/artifacts/big")
                .build();
        List<HttpResponse<InputStream>> answers =
                Stream.generate(() -> client.sendAsync(download, BodyHandlers.ofInputStream()))
                        .limit(150)
                        .toList()
                        .stream()
                        .map(CompletableFuture::join)
                        .toList();
        String seen = answers.stream()
                .map(HttpResponse::statusCode)
                .distinct()
                .sorted()
                .map(String::valueOf)
                .collect(Collectors.joining(", "));
        answers.forEach(answer -> close(answer.body()));
        return AttackResult.of(seen.equals("200, 429") ? "contained" : "answered " + seen, seen);
    }

    private static void close(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A page of a hundred of them would have twenty megabytes, and several of that in the memory of the server. */
    private static AttackResult largeApprovals(SecurityTestServer arena) {
        RestClient api = arena.api();
        List<String> asking = Stream.generate(() ->
                        api.submit(SubmissionBody.javascript("await Promise.all(Array.from({ length: 13 }, (_, i) =>"
                                + " demo.send_mail({ to: 'a', subject: 'S' + i, body: 'x'.repeat(200_000) })))")))
                .limit(8)
                .toList();
        try {
            RestResponse page = Await.untilPresent(
                    "a page of approvals has a successor",
                    Duration.ofMinutes(2),
                    () -> Optional.of(api.get("/api/v1/approvals?limit=100"))
                            .filter(found -> found.expectStatus(200)
                                    .json()
                                    .path("next")
                                    .isTextual()));
            int length = page.text().length();
            return AttackResult.of(length < 2 * MEGABYTE ? "contained" : "a page of " + length + " characters", "");
        } finally {
            asking.forEach(api::cancel);
        }
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
