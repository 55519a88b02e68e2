package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Submission;

/** A call about which somebody was asked is made once it is approved, as the person wrote it. */
final class PendingApproval implements Promise {
    private static final String APPROVALS = "/api/v1/approvals";

    private final Api author;
    private final Api approver;
    private final String subject = "subject " + UUID.randomUUID();
    private String id = "";
    private String approval = "";

    PendingApproval(Api author) {
        this.author = author;
        this.approver = author.as(author.newKeyWithAllRoles("colleague"));
    }

    @Override
    public void make() {
        id = author.submit(Submission.javascript("""
                console.log('asking');
                await demo.send_mail({ to: 'ada', subject: args, body: 'b' });
                return (await demo.outbox()).filter((mail) => mail.subject === args).map((mail) => mail.to);
                """).args('"' + subject + '"'));
        approval = Await.value("somebody is asked", Duration.ofSeconds(120), this::asked);
    }

    private Optional<String> asked() {
        JsonNode items = approver.get(APPROVALS).expect(200).json().path("items");
        return StreamSupport.stream(items.spliterator(), false)
                .filter(each -> each.path("execution").asText().equals(id))
                .map(each -> APPROVALS + "/" + each.path("id").asText())
                .findFirst();
    }

    @Override
    public void assertKept() {
        assertThat(author.execution(id).path("state").asText()).isEqualTo("WAITING");
        approver.post(
                        approval + "/approve",
                        "{\"arguments\":{\"to\":\"grace\",\"subject\":\"" + subject
                                + "\",\"body\":\"b\"},\"note\":\"to Grace\"}")
                .expect(200);

        JsonNode ended = author.awaitEnd(id);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        assertThat(ended.path("output").asText()).isEqualTo("asking\n");
        assertThat(ended.path("result").toString()).isEqualTo("[\"grace\"]");
        assertThat(author.trace(id).stream().map(event -> event.path("type").asText()))
                .containsSubsequence(
                        "tool_start", "policy", "approval_requested", "approval_approved", "tool_end", "state");
    }
}
