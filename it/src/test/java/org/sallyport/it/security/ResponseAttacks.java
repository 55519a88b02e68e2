package org.sallyport.it.security;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RawHttpConnection;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/** Responses that fill the memory of a server while it builds them, or that their readers cannot read. */
final class ResponseAttacks {
    private static final String APPROVALS = "/api/v1/approvals?limit=100";
    private static final String POLICIES = "/api/v1/policies";
    private static final int DOWNLOADS = 150;
    private static final int MAX_PAGE_CHARS = 8_000_000;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final JsonFactory STRICT_JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private static final String ASK_TWENTY_TIMES = """
            const text = '\u20ac'.repeat(250000);
            await Promise.all(Array.from({ length: 20 }, (empty, i) => demo.kv_put({ key: 'f11', value: i + text })));
            """;

    private static final String OWN_MEMBERS = """
            const error = new Error('own message');
            error.name = 'own name';
            Object.defineProperty(error, 'message', { value: 'own message', enumerable: true });
            """;

    private ResponseAttacks() {}

    static List<AttackCase> all() {
        AttackExpectation contained = AttackExpectation.outcome(ResponseCheck.CONTAINED);
        return List.of(
                AttackCase.of("F10", "150 slow downloads of 10 MB", contained, ResponseAttacks::slowDownloads)
                        .asSlow()
                        .asExclusive(),
                AttackCase.of(
                                "F11",
                                "a hundred approvals with arguments of 750 KB, listed eight times",
                                contained,
                                ResponseAttacks::largeApprovals)
                        .asSlow()
                        .asExclusive(),
                AttackCase.of(
                        "F16",
                        "an error with own members in a result and in an approval",
                        contained,
                        ResponseAttacks::ownMembers));
    }

    /** The clients read the status and nothing else. */
    private static AttackResult slowDownloads(SecurityTestServer arena) {
        String id = arena.api()
                .run(SubmissionBody.javascript("await artifacts.write('large', new Uint8Array(10000000)); return 1"))
                .path("id")
                .asText();
        String request = RawHttpConnection.getRequest(
                RestClient.EXECUTIONS + "/" + id + "/artifacts/large",
                arena.server().adminKey());
        List<RawHttpConnection> clients = new ArrayList<>();
        try {
            for (int i = 0; i < DOWNLOADS; i++) {
                RawHttpConnection client = new RawHttpConnection(arena.server().url());
                clients.add(client);
                client.send(request);
            }
            List<String> outcomes = clients.stream()
                    .map(client -> String.valueOf(client.readStatus(TIMEOUT)))
                    .toList();
            return outcomes.contains("200")
                    ? ResponseCheck.checkOutcomes(outcomes, Set.of("200", "429", "503"), "")
                    : AttackResult.of("no download", "");
        } finally {
            clients.forEach(RawHttpConnection::close);
        }
    }

    private static AttackResult largeApprovals(SecurityTestServer arena) {
        RestClient api = arena.api();
        setPolicy(api, "[{\"name\":\"f11\",\"tools\":[\"demo.kv_put\"],\"decision\":\"ask\"}]");
        List<String> ids = IntStream.range(0, 5)
                .mapToObj(number -> api.submit(SubmissionBody.javascript(ASK_TWENTY_TIMES)))
                .toList();
        try {
            Await.until(
                    "a hundred approvals",
                    TIMEOUT,
                    () -> api.listAll(APPROVALS).stream()
                                    .filter(approval -> ids.contains(
                                            approval.path("execution").asText()))
                                    .count()
                            >= 100);
            var answers = ResponseCheck.sendTogether(api, 8, () -> api.request(APPROVALS));
            return answers.stream().anyMatch(answer -> answer.text().length() > MAX_PAGE_CHARS)
                    ? AttackResult.of("a long page", "")
                    : ResponseCheck.checkResponses(answers, Set.of("200", "503 unavailable"));
        } finally {
            setPolicy(api, "[]");
            ids.forEach(api::cancel);
            ids.forEach(api::awaitEnd);
        }
    }

    private static void setPolicy(RestClient api, String rules) {
        api.post(POLICIES, "{\"document\":{\"rules\":" + rules + "}}").expectStatus(201);
    }

    /** A member that occurs twice makes strict readers fail, for example the command that lists approvals. */
    private static AttackResult ownMembers(SecurityTestServer arena) {
        RestClient api = arena.api();
        String returned = api.run(SubmissionBody.javascript(OWN_MEMBERS + "return error;"))
                .path("id")
                .asText();
        String asking = api.submit(SubmissionBody.javascript(
                OWN_MEMBERS + "return await approvals.request({ title: 'F16', details: { error } });"));
        try {
            String approvals = Await.untilPresent(
                    "the approval is listed",
                    TIMEOUT,
                    () -> Optional.of(api.get(APPROVALS).expectStatus(200).text())
                            .filter(text -> text.contains(asking)));
            String result = api.get(RestClient.EXECUTIONS + "/" + returned)
                    .expectStatus(200)
                    .text();
            checkMembers(approvals);
            checkMembers(result);
            return AttackResult.of(
                    result.contains("own name") ? ResponseCheck.CONTAINED : "the error is lost", approvals + result);
        } catch (IOException duplicate) {
            return AttackResult.of("a member occurs twice", String.valueOf(duplicate.getMessage()));
        } finally {
            api.cancel(asking);
            api.awaitEnd(asking);
        }
    }

    private static void checkMembers(String json) throws IOException {
        try (JsonParser parser = STRICT_JSON.createParser(json)) {
            while (parser.nextToken() != null) {
                parser.skipChildren();
            }
        }
    }
}
