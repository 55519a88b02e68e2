package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.StoredKeys;
import org.sallyport.it.harness.Submission;

/** What people are asked and say, and the rules that ask them. */
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApprovalsIT {
    private static final String APPROVALS = "/api/v1/approvals";
    private static final String POLICIES = "/api/v1/policies";
    private static final String MAIL = """
            console.log('asking');
            const sent = await demo.send_mail({ to: 'ada', subject: args, body: 'b' }).catch((e) => e.message);
            return { sent, box: await demo.outbox() };
            """;

    private final SallyportServer server = ServerSetup.fresh("approvals").launch();
    private Api author;
    private Api approver;
    private Description description;

    @BeforeAll
    void begin() {
        server.awaitReady();
        server.stop();
        String colleague = StoredKeys.addColleague(server.data());
        server.begin();
        server.awaitReady();
        author = server.api();
        approver = author.as(colleague);
        description = Description.of(author);
    }

    @AfterAll
    void end() {
        server.close();
    }

    private String asking(String subject) {
        String id = author.submit(Submission.javascript(MAIL).args('"' + subject + '"'));
        awaitWaiting(id);
        return id;
    }

    private void awaitWaiting(String id) {
        Await.until(
                id + " to be parked",
                Duration.ofSeconds(30),
                () -> author.execution(id).path("state").asText().equals("WAITING"));
    }

    private JsonNode approvalOf(String execution) {
        for (JsonNode each : approver.get(APPROVALS).expect(200).json().path("items")) {
            if (each.path("execution").asText().equals(execution)) {
                return each;
            }
        }
        throw new AssertionError("nobody is asked for " + execution);
    }

    private void isDescribed(String method, String path, int status, Answer answer) {
        answer.expect(status);
        assertThat(description.faults(method, path, answer))
                .as(answer.toString())
                .isEmpty();
    }

    private static String subject() {
        return "subject " + UUID.randomUUID();
    }

    @Test
    void anApprovedCallIsMadeAsThePersonWroteItOverTheDeathOfTheNode() {
        String subject = subject();
        String id = asking(subject);
        JsonNode waiting = author.execution(id);
        assertThat(waiting.path("waitingFor").path("reason").asText()).isEqualTo("approval");
        isDescribed("GET", Api.EXECUTIONS + "/{id}", 200, author.get(Api.EXECUTIONS + "/" + id));
        JsonNode approval = approvalOf(id);
        assertThat(approval.path("tool").asText()).isEqualTo("demo.send_mail");
        assertThat(approval.path("arguments").path("subject").asText()).isEqualTo(subject);
        assertThat(approval.path("reason").asText()).contains("cannot be taken back");
        assertThat(approval.path("requester").asText()).isNotEmpty();
        isDescribed("GET", APPROVALS, 200, approver.get(APPROVALS + "?limit=1"));

        server.kill();
        server.begin();
        server.awaitReady();

        String path = APPROVALS + "/" + approval.path("id").asText();
        isDescribed("GET", APPROVALS + "/{id}", 200, approver.get(path));
        isDescribed("POST", APPROVALS + "/{id}/approve", 403, author.post(path + "/approve", "{}"));
        isDescribed(
                "POST",
                APPROVALS + "/{id}/approve",
                400,
                approver.post(path + "/approve", "{\"arguments\":{\"to\":1}}"));
        Answer approved = approver.post(
                path + "/approve",
                "{\"arguments\":{\"to\":\"grace\",\"subject\":\"" + subject
                        + "\",\"body\":\"b\"},\"note\":\"to Grace\"}");
        isDescribed("POST", APPROVALS + "/{id}/approve", 200, approved);
        assertThat(approved.json().path("state").asText()).isEqualTo("APPROVED");
        isDescribed("POST", APPROVALS + "/{id}/deny", 409, approver.post(path + "/deny", "{}"));

        JsonNode ended = author.awaitEnd(id);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        assertThat(ended.path("output").asText()).isEqualTo("asking\n");
        List<String> mails = mails(ended, subject);
        assertThat(mails).singleElement().asString().contains("grace");
        isDescribed("GET", Api.EXECUTIONS + "/{id}/trace", 200, author.get(Api.EXECUTIONS + "/" + id + "/trace"));
        assertThat(author.trace(id).stream().map(event -> event.path("type").asText()))
                .containsSubsequence(
                        "tool_start", "policy", "approval_requested", "approval_approved", "tool_end", "state");
    }

    private static List<String> mails(JsonNode ended, String subject) {
        return ended.path("result").path("box").findParents("subject").stream()
                .filter(mail -> mail.path("subject").asText().equals(subject))
                .map(JsonNode::toString)
                .toList();
    }

    @Test
    void aScriptAsksAPersonAndIsAnswered() {
        String id = author.submit(
                Submission.javascript("return await approvals.request({ title: 'Refund?', details: { order: args } })")
                        .args("7"));
        awaitWaiting(id);
        JsonNode approval = approvalOf(id);
        assertThat(approval.path("kind").asText()).isEqualTo("question");
        assertThat(approval.path("reason").asText()).isEqualTo("Refund?");
        assertThat(approval.path("arguments").path("details").path("order").asInt())
                .isEqualTo(7);
        String path = APPROVALS + "/" + approval.path("id").asText();
        assertThat(approver.post(path + "/approve", "{\"arguments\":{\"title\":\"Other?\"}}")
                        .expect(400)
                        .text())
                .contains("there are no arguments to edit");
        Answer approved = approver.post(path + "/approve", "{\"result\":{\"slot\":3},\"note\":\"on Monday\"}");
        isDescribed("POST", APPROVALS + "/{id}/approve", 200, approved);

        JsonNode heard = author.awaitEnd(id).path("result");
        assertThat(heard.path("approved").asBoolean()).as(heard.toString()).isTrue();
        assertThat(heard.path("state").asText()).isEqualTo("APPROVED");
        assertThat(heard.path("note").asText()).isEqualTo("on Monday");
        assertThat(heard.path("answer").path("slot").asInt()).isEqualTo(3);
        isDescribed("GET", Api.EXECUTIONS + "/{id}/trace", 200, author.get(Api.EXECUTIONS + "/" + id + "/trace"));
    }

    @Test
    void aDeniedCallIsNotMadeAndTheScriptHearsWhy() {
        String subject = subject();
        String id = asking(subject);
        String path = APPROVALS + "/" + approvalOf(id).path("id").asText();
        isDescribed("POST", APPROVALS + "/{id}/deny", 200, approver.post(path + "/deny", "{\"note\":\"not today\"}"));

        JsonNode ended = author.awaitEnd(id);
        assertThat(ended.path("result").path("sent").asText()).contains("not today");
        assertThat(mails(ended, subject)).isEmpty();
    }

    @Test
    void whatIsCancelledWhileItWaitsIsOverAndNobodyIsAskedAnyMore() {
        String id = asking(subject());
        String approval = approvalOf(id).path("id").asText();
        author.cancel(id);
        assertThat(author.awaitEnd(id).path("state").asText()).isEqualTo("CANCELLED");
        assertThat(approver.get(APPROVALS).text()).doesNotContain(approval);
        assertThat(approver.get(APPROVALS + "?state=any").text()).contains(approval);
        Answer late = approver.post(APPROVALS + "/" + approval + "/approve", "{}");
        isDescribed("POST", APPROVALS + "/{id}/approve", 409, late);
        assertThat(late.problem()).isEqualTo("already-terminal");
    }

    @Test
    void rulesAreTriedExplainedAndPutInForce() {
        String before = author.run(Submission.javascript("return demo.echo('x')"))
                .path("id")
                .asText();
        String document = "{\"rules\":[{\"name\":\"no-x\",\"tools\":[\"demo.echo\"],"
                + "\"when\":[{\"at\":\"\",\"is\":\"x\"}],\"then\":\"deny\",\"reason\":\"no x here\"}]}";
        Answer trial = author.post(POLICIES + "/try", "{\"document\":" + document + "}");
        isDescribed("POST", POLICIES + "/try", 200, trial);
        assertThat(trial.json().path("changed").findValuesAsText("execution")).contains(before);
        Answer explained = author.post(
                POLICIES + "/explain", "{\"tool\":\"demo.echo\",\"arguments\":\"x\",\"document\":" + document + "}");
        isDescribed("POST", POLICIES + "/explain", 200, explained);
        assertThat(explained.json().path("rule").asText()).isEqualTo("no-x");

        Answer added = author.post(POLICIES, "{\"document\":" + document + ",\"comment\":\"x is gone\"}");
        isDescribed("POST", POLICIES, 201, added);
        long version = added.json().path("version").asLong();
        isDescribed("GET", POLICIES + "/{version}", 200, author.get(POLICIES + "/" + version));
        isDescribed("GET", POLICIES, 200, author.get(POLICIES));
        JsonNode refused = author.run(Submission.javascript("return demo.echo('x')"));
        assertThat(refused.path("error").path("code").asText()).isEqualTo("denied");
        assertThat(refused.path("error").path("message").asText()).contains("no x here", "no-x");
        assertThat(author.run(Submission.javascript("return demo.echo('y')"))
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");

        isDescribed(
                "POST",
                POLICIES,
                409,
                author.post(POLICIES, "{\"document\":{\"rules\":[]},\"replaces\":" + (version - 1) + "}"));
        author.post(POLICIES, "{\"document\":{\"rules\":[]},\"replaces\":" + version + "}")
                .expect(201);
        assertThat(author.run(Submission.javascript("return demo.echo('x')"))
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
    }

    @Test
    void theGuidesExampleIsAPolicy() throws IOException {
        String guide = Files.readString(Checkout.home().resolve("docs/policies.md"));
        int start = guide.indexOf("```json") + "```json".length();
        JsonNode example = Json.read(guide.substring(start, guide.indexOf("```", start)));
        Answer trial = author.post(POLICIES + "/try", "{\"document\":" + example.path("document") + "}");
        isDescribed("POST", POLICIES + "/try", 200, trial);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '¤', textBlock = """
            GET  | /api/v1/approvals?state=x          |                               | 400 | validation
            GET  | /api/v1/approvals?limit=0          |                               | 400 | validation
            GET  | /api/v1/approvals?cursor=x         |                               | 400 | validation
            GET  | /api/v1/approvals/x                |                               | 404 | not-found
            POST | /api/v1/approvals/x/approve        | {}                            | 404 | not-found
            POST | /api/v1/approvals/x/approve        | {"scope":"all"}               | 400 | validation
            POST | /api/v1/approvals/x/deny           | {"reason":"x"}                | 400 | validation
            GET  | /api/v1/policies/0                 |                               | 404 | not-found
            GET  | /api/v1/policies/99999999999999999999 |                            | 404 | not-found
            POST | /api/v1/policies                   | {}                            | 400 | validation
            POST | /api/v1/policies                   | {"document":[]}               | 422 | invalid-policy
            POST | /api/v1/policies                   | {"document":{"rules":[{}]}}   | 422 | invalid-policy
            POST | /api/v1/policies/explain           | {}                            | 400 | validation
            POST | /api/v1/policies/explain           | {"tool":"x"}                  | 400 | validation
            POST | /api/v1/policies/explain           | {"tool":"demo.no"}            | 400 | validation
            POST | /api/v1/policies/try               | {}                            | 400 | validation
            POST | /api/v1/policies/try               | {"document":{},"executions":0} | 400 | validation
            """)
    void badInputIsNamed(String method, String path, String body, int status, String problem) {
        Answer answer = method.equals("GET") ? approver.get(path) : approver.post(path, body);
        answer.expect(status);
        assertThat(answer.problem()).isEqualTo(problem);
    }
}
