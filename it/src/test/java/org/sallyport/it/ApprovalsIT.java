package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;

/** Approval requests, the votes of people, and the policy rules that require approval. */
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApprovalsIT {
    private static final String APPROVALS = "/api/v1/approvals";
    private static final String POLICIES = "/api/v1/policies";
    private static final String MAIL = """
            console.log('asking');
            const sent = await demo.send_mail({ to: 'ada', subject: args, body: 'b' }).catch((e) => e.message);
            return { sent, box: await demo.outbox() };
            """;

    private final SallyportServer server;
    private final RestClient author;
    private final RestClient approver;
    private final OpenApiResponseValidator description;

    ApprovalsIT(SallyportServer server, TestTenant tenant) {
        this.server = server;
        author = tenant.api();
        approver = author.withKey(author.createKeyWithAllRoles("colleague"));
        description = OpenApiResponseValidator.of(author);
    }

    private String submitAndAwaitApproval(String subject) {
        String id = author.submit(SubmissionBody.javascript(MAIL).args('"' + subject + '"'));
        awaitWaiting(id);
        return id;
    }

    private void awaitWaiting(String id) {
        Await.until(
                id + " to be parked",
                Duration.ofSeconds(60),
                () -> author.getExecution(id).path("state").asText().equals("WAITING"));
    }

    private JsonNode approvalOf(String execution) {
        for (JsonNode each : approver.get(APPROVALS).expectStatus(200).json().path("items")) {
            if (each.path("execution").asText().equals(execution)) {
                return each;
            }
        }
        throw new AssertionError("nobody is asked for " + execution);
    }

    private void assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
    }

    private static String newSubject() {
        return "subject " + UUID.randomUUID();
    }

    @Test
    void approvedCallIsMadeWithTheArgumentsOfTheApprover() {
        String subject = newSubject();
        String id = submitAndAwaitApproval(subject);
        JsonNode waiting = author.getExecution(id);
        assertThat(waiting.path("waitingFor").path("reason").asText()).isEqualTo("approval");
        RestResponse why = author.get(RestClient.EXECUTIONS + "/" + id + "/why");
        assertDescribed("GET", RestClient.EXECUTIONS + "/{id}/why", 200, why);
        assertThat(why.json().path("reason").asText()).isEqualTo("approval");
        assertThat(why.json().path("until")).isEqualTo(waiting.at("/waitingFor/until"));
        assertDescribed("GET", RestClient.EXECUTIONS + "/{id}", 200, author.get(RestClient.EXECUTIONS + "/" + id));
        JsonNode approval = approvalOf(id);
        assertThat(approval.path("tool").asText()).isEqualTo("demo.send_mail");
        assertThat(approval.path("arguments").path("subject").asText()).isEqualTo(subject);
        assertThat(approval.path("reason").asText()).contains("cannot be undone");
        assertThat(approval.path("requester").asText()).isNotEmpty();
        assertDescribed("GET", APPROVALS, 200, approver.get(APPROVALS + "?limit=1"));

        String path = APPROVALS + "/" + approval.path("id").asText();
        assertDescribed("GET", APPROVALS + "/{id}", 200, approver.get(path));
        assertDescribed("POST", APPROVALS + "/{id}/approve", 403, author.post(path + "/approve", "{}"));
        assertDescribed(
                "POST",
                APPROVALS + "/{id}/approve",
                400,
                approver.post(path + "/approve", "{\"arguments\":{\"to\":1}}"));
        RestResponse approved = approver.post(
                path + "/approve",
                "{\"arguments\":{\"to\":\"grace\",\"subject\":\"" + subject
                        + "\",\"body\":\"b\"},\"note\":\"to Grace\"}");
        assertDescribed("POST", APPROVALS + "/{id}/approve", 200, approved);
        assertThat(approved.json().path("state").asText()).isEqualTo("APPROVED");
        assertDescribed("POST", APPROVALS + "/{id}/deny", 409, approver.post(path + "/deny", "{}"));

        JsonNode ended = author.awaitEnd(id);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        assertThat(ended.path("output").asText()).isEqualTo("asking\n");
        List<String> mails = mailsWithSubject(ended, subject);
        assertThat(mails).singleElement().asString().contains("grace");
        assertDescribed(
                "GET",
                RestClient.EXECUTIONS + "/{id}/trace",
                200,
                author.get(RestClient.EXECUTIONS + "/" + id + "/trace"));
        assertThat(author.getTrace(id).stream().map(event -> event.path("type").asText()))
                .containsSubsequence(
                        "tool_start", "policy", "approval_requested", "approval_approved", "tool_end", "state");
    }

    private static List<String> mailsWithSubject(JsonNode ended, String subject) {
        return ended.path("result").path("box").findParents("subject").stream()
                .filter(mail -> mail.path("subject").asText().equals(subject))
                .map(JsonNode::toString)
                .toList();
    }

    @Test
    void scriptRequestsAnApprovalAndReceivesTheAnswer() {
        String id = author.submit(SubmissionBody.javascript(
                        "return await approvals.request({ title: 'Refund?', details: { order: args } })")
                .args("7"));
        awaitWaiting(id);
        JsonNode approval = approvalOf(id);
        assertThat(approval.path("kind").asText()).isEqualTo("question");
        assertThat(approval.path("reason").asText()).isEqualTo("Refund?");
        assertThat(approval.path("arguments").path("details").path("order").asInt())
                .isEqualTo(7);
        String path = APPROVALS + "/" + approval.path("id").asText();
        assertThat(approver.post(path + "/approve", "{\"arguments\":{\"title\":\"Other?\"}}")
                        .expectStatus(400)
                        .text())
                .contains("there are no arguments to edit");
        RestResponse approved = approver.post(path + "/approve", "{\"result\":{\"slot\":3},\"note\":\"on Monday\"}");
        assertDescribed("POST", APPROVALS + "/{id}/approve", 200, approved);

        JsonNode heard = author.awaitEnd(id).path("result");
        assertThat(heard.path("approved").asBoolean()).as(heard.toString()).isTrue();
        assertThat(heard.path("state").asText()).isEqualTo("APPROVED");
        assertThat(heard.path("note").asText()).isEqualTo("on Monday");
        assertThat(heard.path("answer").path("slot").asInt()).isEqualTo(3);
        assertDescribed(
                "GET",
                RestClient.EXECUTIONS + "/{id}/trace",
                200,
                author.get(RestClient.EXECUTIONS + "/" + id + "/trace"));
    }

    /** A strict reader, such as the command line, would refuse all approvals if one had a duplicate member. */
    @Test
    void argumentsWithAnErrorAreReadByStrictReaders() throws IOException {
        String id = author.submit(SubmissionBody.javascript("""
                const error = Object.assign(new Error('m'), { name: 'NamedError', amount: 5 });
                return await approvals.request({ title: 'Error?', details: { error } });
                """));
        awaitWaiting(id);
        JsonMapper strict = JsonMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();
        JsonNode all = strict.readTree(approver.get(APPROVALS).expectStatus(200).text());
        assertThat(all.findValuesAsText("execution")).contains(id);
        JsonNode approval = approvalOf(id);
        assertThat(approval.at("/arguments/details/error"))
                .isEqualTo(TestJson.read("{\"name\":\"NamedError\",\"message\":\"m\",\"amount\":5}"));
        approver.post(APPROVALS + "/" + approval.path("id").asText() + "/deny", "{}")
                .expectStatus(200);
        author.awaitEnd(id);
    }

    @Test
    void deniedCallIsNotMadeAndTheScriptGetsTheReason() {
        String subject = newSubject();
        String id = submitAndAwaitApproval(subject);
        String path = APPROVALS + "/" + approvalOf(id).path("id").asText();
        assertDescribed(
                "POST", APPROVALS + "/{id}/deny", 200, approver.post(path + "/deny", "{\"note\":\"not today\"}"));

        JsonNode ended = author.awaitEnd(id);
        assertThat(ended.path("result").path("sent").asText()).contains("not today");
        assertThat(mailsWithSubject(ended, subject)).isEmpty();
    }

    @Test
    void approvalForAnExecutionCoversTheSameCallButNoOther() {
        String subject = newSubject();
        String other = subject + " too";
        String id = author.submit(SubmissionBody.javascript("""
                const mail = (subject) => demo.send_mail({ to: 'ada', subject, body: 'b' });
                await mail(args);
                await mail(args);
                await mail(args + ' too');
                return { box: await demo.outbox() };
                """).args('"' + subject + '"'));
        awaitWaiting(id);
        JsonNode first = approvalOf(id);
        RestResponse approved =
                approver.post(APPROVALS + "/" + first.path("id").asText() + "/approve", "{\"scope\":\"execution\"}");
        assertDescribed("POST", APPROVALS + "/{id}/approve", 200, approved);
        Await.until(
                "the other to be asked about",
                Duration.ofSeconds(60),
                () -> approver.get(APPROVALS).text().contains(other));
        JsonNode second = approvalOf(id);
        assertThat(second.path("arguments").path("subject").asText()).isEqualTo(other);
        assertThat(second.path("hash")).isNotEqualTo(first.path("hash"));
        approver.post(APPROVALS + "/" + second.path("id").asText() + "/approve", "{}")
                .expectStatus(200);

        JsonNode ended = author.awaitEnd(id);
        assertThat(mailsWithSubject(ended, subject)).as(ended.toString()).hasSize(2);
        assertThat(mailsWithSubject(ended, other)).hasSize(1);
    }

    @Test
    void repeatedVotesOfOneApproverCountOnceIfTwoMustApprove() {
        author.post(
                        POLICIES,
                        "{\"document\":{\"rules\":[{\"name\":\"two\",\"tools\":[\"demo.send_mail\"],"
                                + "\"decision\":\"ask\",\"approvers\":2}]}}")
                .expectStatus(201);
        String subject = newSubject();
        String id = submitAndAwaitApproval(subject);
        author.post(POLICIES, "{\"document\":{\"rules\":[]}}").expectStatus(201);
        String path = APPROVALS + "/" + approvalOf(id).path("id").asText();
        RestResponse one = approver.post(path + "/approve", "{}");
        assertDescribed("POST", APPROVALS + "/{id}/approve", 200, one);
        assertThat(one.json().path("state").asText()).isEqualTo("PENDING");
        approver.post(path + "/approve", "{}");
        JsonNode waiting = approver.get(path).expectStatus(200).json();
        assertThat(waiting.path("state").asText()).isEqualTo("PENDING");
        assertThat(waiting.path("approvedBy")).hasSize(1);
        assertThat(author.getExecution(id).path("state").asText()).isEqualTo("WAITING");

        RestClient deputy =
                author.withKey(author.post("/api/v1/api-keys", "{\"name\":\"deputy\",\"roles\":[\"approver\"]}")
                        .expectStatus(201)
                        .json()
                        .path("key")
                        .asText());
        RestResponse two = deputy.post(path + "/approve", "{}");
        assertDescribed("POST", APPROVALS + "/{id}/approve", 200, two);
        assertThat(two.json().path("state").asText()).isEqualTo("APPROVED");
        assertThat(two.json().path("approvedBy")).hasSize(2);
        assertThat(mailsWithSubject(author.awaitEnd(id), subject)).hasSize(1);
    }

    @Test
    void cancelledExecutionClosesItsPendingApproval() {
        String id = submitAndAwaitApproval(newSubject());
        String approval = approvalOf(id).path("id").asText();
        author.cancel(id);
        assertThat(author.awaitEnd(id).path("state").asText()).isEqualTo("CANCELLED");
        assertThat(approver.get(APPROVALS).text()).doesNotContain(approval);
        assertThat(approver.get(APPROVALS + "?state=any").text()).contains(approval);
        RestResponse late = approver.post(APPROVALS + "/" + approval + "/approve", "{}");
        assertDescribed("POST", APPROVALS + "/{id}/approve", 409, late);
        assertThat(late.problemType()).isEqualTo("already-terminal");
    }

    private RestResponse postToLink(String token, String more) {
        return author.withoutKey().post("/console/approval-link", "{\"token\":\"" + token + "\"" + more + "}");
    }

    private JsonNode createLink(String approval, RestClient maker) {
        RestResponse created = maker.post(APPROVALS + "/" + approval + "/links", "{\"timeoutMillis\":600000}");
        assertDescribed("POST", APPROVALS + "/{id}/links", 201, created);
        return created.json();
    }

    private static String problemType(RestResponse answer, int status) {
        answer.expectStatus(status);
        return answer.problemType();
    }

    @Test
    void approvalLinkDecidesOnceAndNotWhenOpened() {
        String subject = newSubject();
        String id = submitAndAwaitApproval(subject);
        String approval = approvalOf(id).path("id").asText();
        assertThat(problemType(author.post(APPROVALS + "/" + approval + "/links", "{}"), 403))
                .isEqualTo("forbidden");
        JsonNode link = createLink(approval, approver);
        String token = link.path("token").asText();
        assertThat(link.path("path").asText()).isEqualTo("/console/approval#" + token);

        RestResponse page = author.withoutKey().get("/console/approval");
        page.expectStatus(200);
        assertThat(page.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(page.header("Content-Security-Policy")).contains("script-src 'self'", "frame-ancestors 'none'");
        assertThat(problemType(author.withoutKey().get("/console/approval-link?token=" + token), 405))
                .isEqualTo("method-not-allowed");
        JsonNode shown = postToLink(token, "").expectStatus(200).json();
        assertThat(shown.at("/approval/arguments/subject").asText()).isEqualTo(subject);
        assertThat(shown.path("voice").asText()).isNotEmpty();
        postToLink(token, "").expectStatus(200);
        assertThat(author.getExecution(id).path("state").asText()).isEqualTo("WAITING");
        String wrong = token.substring(0, token.length() - 3) + "AAA";
        assertThat(problemType(postToLink(wrong, ",\"decision\":\"approve\""), 404))
                .isEqualTo("not-found");
        assertThat(problemType(postToLink(token, ",\"decision\":\"maybe\""), 400))
                .isEqualTo("validation");
        assertThat(problemType(postToLink(token, ",\"decision\":\"approve\",\"arguments\":{}"), 400))
                .isEqualTo("validation");

        RestResponse decided = postToLink(token, ",\"decision\":\"approve\",\"note\":\"from the train\"");
        assertThat(decided.expectStatus(200).json().at("/approval/state").asText())
                .isEqualTo("APPROVED");
        assertThat(problemType(postToLink(token, ",\"decision\":\"deny\""), 409))
                .isEqualTo("link-used");
        assertThat(problemType(postToLink(token, ""), 409)).isEqualTo("link-used");
        assertThat(problemType(approver.post(APPROVALS + "/" + approval + "/links", "{}"), 409))
                .isEqualTo("already-decided");

        assertThat(mailsWithSubject(author.awaitEnd(id), subject)).hasSize(1);
        JsonNode entry = author.get("/api/v1/audit?action=approval.approve&object=" + approval)
                .expectStatus(200)
                .json()
                .at("/items/0");
        assertThat(entry.path("channel").asText()).isEqualTo("link");
        assertThat(entry.path("actor")).isEqualTo(shown.path("voice"));
        assertThat(server.logText()).doesNotContain(token.substring(token.length() - 43));
    }

    @Test
    void approvalLinkEndsWithItsKeyItsApprovalOrItsRevocation() {
        String approval =
                approvalOf(submitAndAwaitApproval(newSubject())).path("id").asText();
        JsonNode key = author.post("/api/v1/api-keys", "{\"name\":\"temporary\",\"roles\":[\"approver\"]}")
                .expectStatus(201)
                .json();
        String ofKey = createLink(approval, author.withKey(key.path("key").asText()))
                .path("token")
                .asText();
        JsonNode takenBack = createLink(approval, approver);
        String path =
                APPROVALS + "/" + approval + "/links/" + takenBack.path("id").asText();
        assertDescribed(
                "DELETE",
                APPROVALS + "/{id}/links/{link}",
                204,
                approver.send(approver.request(path).DELETE()));
        assertDescribed(
                "DELETE",
                APPROVALS + "/{id}/links/{link}",
                404,
                approver.send(approver.request(path).DELETE()));
        String deny = ",\"decision\":\"deny\"";
        assertThat(problemType(postToLink(takenBack.path("token").asText(), deny), 404))
                .isEqualTo("not-found");
        author.send(author.request("/api/v1/api-keys/" + key.path("id").asText())
                        .DELETE())
                .expectStatus(204);
        assertThat(problemType(postToLink(ofKey, deny), 410)).isEqualTo("link-over");
        String late = createLink(approval, approver).path("token").asText();
        approver.post(APPROVALS + "/" + approval + "/deny", "{}").expectStatus(200);
        assertThat(problemType(postToLink(late, deny), 409)).isEqualTo("already-decided");
    }

    @Test
    void approversAreRemindedAndTheAuditLogRecordsIt() {
        author.post(
                        POLICIES,
                        "{\"document\":{\"rules\":[{\"name\":\"mail\",\"tools\":[\"demo.send_mail\"],"
                                + "\"decision\":\"ask\","
                                + "\"timeoutMillis\":3600000,\"remind\":{\"beforeMillis\":3599000,"
                                + "\"everyMillis\":1000000,"
                                + "\"times\":2}}]}}")
                .expectStatus(201);
        String approval =
                approvalOf(submitAndAwaitApproval(newSubject())).path("id").asText();
        author.post(POLICIES, "{\"document\":{\"rules\":[]}}").expectStatus(201);
        String path = APPROVALS + "/" + approval;
        Await.until(
                "the first reminder of " + approval,
                Duration.ofSeconds(60),
                () -> approver.get(path).json().at("/reminders/times").asInt() > 0);

        assertDescribed("GET", APPROVALS + "/{id}", 200, approver.get(path));
        JsonNode reminders = approver.get(path).json().path("reminders");
        assertThat(reminders.path("times").asInt()).isEqualTo(1);
        Instant last = Instant.parse(reminders.path("last").asText());
        assertThat(Duration.between(last, Instant.parse(reminders.path("next").asText())))
                .isLessThanOrEqualTo(Duration.ofSeconds(1_000));
        RestResponse log = author.get("/api/v1/audit?object=" + approval);
        assertDescribed("GET", "/api/v1/audit", 200, log);
        assertThat(log.json().path("items")).singleElement().satisfies(entry -> {
            assertThat(entry.path("action").asText()).isEqualTo("approval.remind");
            assertThat(entry.path("channel").asText()).isEqualTo("service");
            assertThat(entry.path("result").asText()).isEqualTo("done");
        });
    }

    @Tag("slow")
    @Test
    void expiredApprovalReturnsTheValueOfItsRequestAndMakesNoCall() {
        JsonNode value = TestJson.read("{\"sent\":false,\"why\":[\"no answer in time\",null]}");
        String document = "{\"rules\":[{\"name\":\"silence\",\"tools\":[\"demo.send_mail\"],\"decision\":\"ask\","
                + "\"timeoutMillis\":30000,\"atExpiry\":{\"value\":" + value + "}}]}";
        RestResponse explained =
                author.post(POLICIES + "/explain", "{\"tool\":\"demo.send_mail\",\"document\":" + document + "}");
        assertDescribed("POST", POLICIES + "/explain", 200, explained);
        assertThat(explained.json().path("atExpiry").asText()).isEqualTo("value");
        assertThat(explained.json().path("valueAtExpiry")).isEqualTo(value);
        author.post(POLICIES, "{\"document\":" + document + "}").expectStatus(201);
        String subject = newSubject();
        // The runner does not park an execution that still has work to do, such as a running timer.
        String busy =
                "const ticks = setInterval(() => 0, 100);" + MAIL.replace("return", "clearInterval(ticks); return");
        String live = author.submit(SubmissionBody.javascript(busy).args('"' + subject + '"'));
        String parked = submitAndAwaitApproval(subject);
        Await.until(
                "what runs to ask",
                Duration.ofSeconds(25),
                () -> approver.get(APPROVALS).text().contains(live));
        // The approval request keeps its content, even if the policy changes before the decision.
        author.post(POLICIES, "{\"document\":{\"rules\":[]}}").expectStatus(201);
        JsonNode approval = approvalOf(parked);
        String path = APPROVALS + "/" + approval.path("id").asText();
        assertDescribed("GET", APPROVALS + "/{id}", 200, approver.get(path));
        assertThat(approval.path("atExpiry").asText()).isEqualTo("value");
        assertThat(approval.path("valueAtExpiry")).isEqualTo(value);
        String token =
                createLink(approval.path("id").asText(), approver).path("token").asText();
        assertThat(postToLink(token, "").expectStatus(200).json().at("/approval/valueAtExpiry"))
                .isEqualTo(value);

        for (String id : List.of(live, parked)) {
            JsonNode ended = author.awaitEnd(id);
            assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
            assertThat(ended.path("result").path("sent")).isEqualTo(value);
            assertThat(mailsWithSubject(ended, subject)).isEmpty();
            assertDescribed(
                    "GET",
                    RestClient.EXECUTIONS + "/{id}/trace",
                    200,
                    author.get(RestClient.EXECUTIONS + "/" + id + "/trace"));
            List<JsonNode> mail = author.getTrace(id).stream()
                    .filter(event -> event.path("call").asInt() == 1)
                    .toList();
            assertThat(mail)
                    .extracting(event -> event.path("type").asText()
                            + event.path("decision").asText()
                            + event.path("rule").asText())
                    .containsExactly(
                            "tool_start",
                            "policyasksilence",
                            "approval_requested",
                            "approval_expired",
                            "policymocksilence",
                            "tool_end");
            assertThat(mail.get(5).path("result")).isEqualTo(value);
        }
        assertThat(author.getTrace(live).stream()
                        .map(event -> event.path("state").asText()))
                .doesNotContain("WAITING");
        JsonNode expired = approver.get(path).expectStatus(200).json();
        assertDescribed("GET", APPROVALS + "/{id}", 200, approver.get(path));
        assertThat(expired.path("state").asText()).isEqualTo("EXPIRED");
        assertThat(expired.path("decision").path("granted").asBoolean()).isFalse();
        assertThat(expired.path("decision").path("by").asText()).isEmpty();
        assertThat(expired.path("decision").path("result")).isEqualTo(value);
        assertThat(problemType(approver.post(path + "/approve", "{}"), 409)).isEqualTo("already-decided");
        author.post(POLICIES, "{\"document\":" + document.replace("\"value\":", "\"values\":") + "}")
                .expectStatus(422);
    }

    @Test
    void policyRulesAreTriedExplainedAndPutInForce() {
        String before = author.run(SubmissionBody.javascript("return demo.echo('x')"))
                .path("id")
                .asText();
        String document = "{\"rules\":[{\"name\":\"no-x\",\"tools\":[\"demo.echo\"],"
                + "\"when\":[{\"at\":\"\",\"is\":\"x\"}],\"decision\":\"deny\",\"reason\":\"no x here\"}]}";
        RestResponse trial = author.post(POLICIES + "/backtest", "{\"document\":" + document + "}");
        assertDescribed("POST", POLICIES + "/backtest", 200, trial);
        assertThat(trial.json().path("changed").findValuesAsText("execution")).contains(before);
        RestResponse explained = author.post(
                POLICIES + "/explain", "{\"tool\":\"demo.echo\",\"arguments\":\"x\",\"document\":" + document + "}");
        assertDescribed("POST", POLICIES + "/explain", 200, explained);
        assertThat(explained.json().path("rule").asText()).isEqualTo("no-x");

        RestResponse added = author.post(POLICIES, "{\"document\":" + document + ",\"comment\":\"x is gone\"}");
        assertDescribed("POST", POLICIES, 201, added);
        long version = added.json().path("version").asLong();
        assertDescribed("GET", POLICIES + "/{version}", 200, author.get(POLICIES + "/" + version));
        assertDescribed("GET", POLICIES, 200, author.get(POLICIES));
        JsonNode refused = author.run(SubmissionBody.javascript("return demo.echo('x')"));
        assertThat(refused.path("error").path("code").asText()).isEqualTo("denied");
        assertThat(refused.path("error").path("message").asText()).contains("no x here", "no-x");
        assertThat(author.run(SubmissionBody.javascript("return demo.echo('y')"))
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");

        assertDescribed(
                "POST",
                POLICIES,
                409,
                author.post(POLICIES, "{\"document\":{\"rules\":[]},\"replaces\":" + (version - 1) + "}"));
        author.post(POLICIES, "{\"document\":{\"rules\":[]},\"replaces\":" + version + "}")
                .expectStatus(201);
        assertThat(author.run(SubmissionBody.javascript("return demo.echo('x')"))
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
    }

    @Test
    void rulesAreExplainedAndTriedForEveryFormOfCapabilityCall() {
        author.post(
                        "/api/v1/capabilities",
                        "{\"name\":\"ruled.echo\",\"version\":\"1.0.0\",\"code\":\"return args\",\"tools\":[]}")
                .expectStatus(201);
        String ran = author.run(SubmissionBody.javascript(
                        "await mcp.ruled.echo({}); return await capabilities.ruled.echo({});"))
                .path("id")
                .asText();
        String document =
                "{\"otherwise\":\"allow\",\"rules\":[{\"name\":\"one-echo\",\"tools\":[\"capabilities.ruled.*\"],"
                        + "\"after\":1,\"decision\":\"deny\"}]}";
        for (String name : List.of("ruled.echo", "capabilities.ruled.echo")) {
            for (String before : List.of("ruled.echo", "capabilities.ruled.echo")) {
                RestResponse explained = author.post(
                        POLICIES + "/explain",
                        "{\"tool\":\"" + name + "\",\"before\":[\"" + before + "\"],\"document\":" + document + "}");
                assertDescribed("POST", POLICIES + "/explain", 200, explained);
                assertThat(explained.json().path("rule").asText())
                        .as(name + " after " + before)
                        .isEqualTo("one-echo");
            }
        }
        assertThat(problemType(author.post(POLICIES + "/explain", "{\"tool\":\"capabilities.no.such\"}"), 400))
                .isEqualTo("validation");
        RestResponse trial = author.post(POLICIES + "/backtest", "{\"document\":" + document + "}");
        assertDescribed("POST", POLICIES + "/backtest", 200, trial);
        assertThat(trial.json().path("changed"))
                .filteredOn(change -> change.path("execution").asText().equals(ran))
                .extracting(change ->
                        change.path("call").asInt() + " " + change.path("tool").asText())
                .containsExactly("2 capabilities.ruled.echo");
    }

    @Test
    void ruleForACapabilityAppliesOnlyToCallsItMakes() {
        author.post(
                        "/api/v1/capabilities",
                        "{\"name\":\"ruled.outbox\",\"version\":\"1.0.0\",\"code\":\"return demo.outbox()\","
                                + "\"tools\":[\"demo.outbox\"]}")
                .expectStatus(201);
        String document =
                "{\"rules\":[{\"name\":\"no-box\",\"tools\":[\"demo.outbox\"],\"capability\":[\"ruled.*@1.*\"],"
                        + "\"decision\":\"deny\"}]}";
        RestResponse explained = author.post(
                POLICIES + "/explain",
                "{\"tool\":\"demo.outbox\",\"capability\":\"ruled.outbox@1.0.0\",\"document\":" + document + "}");
        assertDescribed("POST", POLICIES + "/explain", 200, explained);
        assertThat(explained.json().path("rule").asText()).isEqualTo("no-box");
        String code =
                "await demo.outbox(); return capabilities.ruled.outbox({}).then(() => 'ok', (e) => e.details.code)";
        author.run(SubmissionBody.javascript(code));
        author.post(POLICIES, "{\"document\":" + document + "}").expectStatus(201);
        try {
            JsonNode ended = author.run(SubmissionBody.javascript(code));
            assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("denied");
        } finally {
            author.post(POLICIES, "{\"document\":{\"rules\":[]}}").expectStatus(201);
        }
        RestResponse trial = author.post(POLICIES + "/backtest", "{\"executions\":20,\"document\":" + document + "}");
        assertDescribed("POST", POLICIES + "/backtest", 200, trial);
        assertThat(trial.json().path("changed"))
                .isNotEmpty()
                .allSatisfy(change -> assertThat(
                                author.getExecution(change.path("execution").asText())
                                        .path("capability")
                                        .asText())
                        .isEqualTo("ruled.outbox@1.0.0"));
    }

    @Test
    void exampleOfTheGuideIsAValidPolicy() throws IOException {
        String guide = Files.readString(CheckoutPaths.root().resolve("docs/policies.md"));
        int start = guide.indexOf("```json") + "```json".length();
        JsonNode example = TestJson.read(guide.substring(start, guide.indexOf("```", start)));
        RestResponse trial = author.post(POLICIES + "/backtest", "{\"document\":" + example.path("document") + "}");
        assertDescribed("POST", POLICIES + "/backtest", 200, trial);
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
            POST | /api/v1/approvals/x/links          | {}                            | 404 | not-found
            POST | /console/approval-link             | {}                            | 400 | validation
            POST | /console/approval-link             | []                            | 400 | validation
            POST | /console/approval-link             | {"token":"x"}                 | 404 | not-found
            POST | /console/approval-link             | {"token":"x","token":"x"}     | 400 | validation
            GET  | /api/v1/policies/0                 |                               | 404 | not-found
            GET  | /api/v1/policies/99999999999999999999 |                            | 404 | not-found
            POST | /api/v1/policies                   | {}                            | 400 | validation
            POST | /api/v1/policies                   | {"document":[]}               | 422 | invalid-policy
            POST | /api/v1/policies                   | {"document":{"rules":[{}]}}   | 422 | invalid-policy
            POST | /api/v1/policies/explain           | {}                            | 400 | validation
            POST | /api/v1/policies/explain           | {"tool":"x"}                  | 400 | validation
            POST | /api/v1/policies/explain           | {"tool":"demo.no"}            | 400 | validation
            POST | /api/v1/policies/backtest          | {}                            | 400 | validation
            POST | /api/v1/policies/backtest          | {"document":{},"executions":0} | 400 | validation
            """)
    void invalidInputIsRefusedWithAProblem(String method, String path, String body, int status, String problem) {
        RestResponse answer = method.equals("GET") ? approver.get(path) : approver.post(path, body);
        answer.expectStatus(status);
        assertThat(answer.problemType()).isEqualTo(problem);
    }
}
