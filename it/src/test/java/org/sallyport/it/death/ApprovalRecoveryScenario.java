package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/** A call that waits for an approval is made once after it is approved, with the arguments that the approver edited. */
final class ApprovalRecoveryScenario implements RecoveryScenario {
    private static final String APPROVALS = "/api/v1/approvals";

    private final RestClient author;
    private final RestClient approver;
    private final String subject = "subject " + UUID.randomUUID();
    private String id = "";
    private String approval = "";

    ApprovalRecoveryScenario(RestClient author) {
        this.author = author;
        this.approver = author.withKey(author.createKeyWithAllRoles("colleague"));
    }

    @Override
    public void prepare() {
        id = author.submit(SubmissionBody.javascript("""
                console.log('asking');
                await demo.send_mail({ to: 'ada', subject: args, body: 'b' });
                return (await demo.outbox()).filter((mail) => mail.subject === args).map((mail) => mail.to);
                """).args('"' + subject + '"'));
        approval = Await.untilPresent("somebody is asked", Duration.ofSeconds(120), this::findApproval);
    }

    private Optional<String> findApproval() {
        JsonNode items = approver.get(APPROVALS).expectStatus(200).json().path("items");
        return StreamSupport.stream(items.spliterator(), false)
                .filter(each -> each.path("execution").asText().equals(id))
                .map(each -> APPROVALS + "/" + each.path("id").asText())
                .findFirst();
    }

    @Override
    public void assertRecovered() {
        assertThat(author.getExecution(id).path("state").asText()).isEqualTo("WAITING");
        approver.post(
                        approval + "/approve",
                        "{\"arguments\":{\"to\":\"grace\",\"subject\":\"" + subject
                                + "\",\"body\":\"b\"},\"note\":\"to Grace\"}")
                .expectStatus(200);

        JsonNode ended = author.awaitEnd(id);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        assertThat(ended.path("output").asText()).isEqualTo("asking\n");
        assertThat(ended.path("result").toString()).isEqualTo("[\"grace\"]");
        assertThat(author.getTrace(id).stream().map(event -> event.path("type").asText()))
                .containsSubsequence(
                        "tool_start", "policy", "approval_requested", "approval_approved", "tool_end", "state");
    }
}
