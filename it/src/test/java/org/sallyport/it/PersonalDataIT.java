package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/**
 * Personal data that a tenant's policy redacts appears in no output, result or trace, while tools still receive it
 * unredacted.
 */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
class PersonalDataIT {
    private static final String POLICIES = "/api/v1/policies";
    private static final String EMAIL_ADDRESS = "ada@example.org";
    private static final String CARD_NUMBER = "4111 1111 1111 1111";
    private static final String IP_ADDRESS = "192.0.2.17";
    private static final String CODE = """
            const echoed = await demo.echo({ to: args.mail, cards: [args.card] });
            console.log("to " + args.mail, "from 192.0.2.17");
            console.error("card", args.card);
            return { echoed, length: echoed.to.length, address: "192.0.2.17" };
            """;

    private final RestClient api;

    PersonalDataIT(TestTenant tenant) {
        this.api = tenant.api();
    }

    /** Runs the same code with other arguments for its tool. */
    private String runWithOtherData() {
        return api.run(SubmissionBody.javascript(CODE).args("{\"mail\": \"bob@example.org\", \"card\": \"none\"}"))
                .path("id")
                .asText();
    }

    private JsonNode run() {
        return api.run(SubmissionBody.javascript(CODE)
                .args("{\"mail\": \"" + EMAIL_ADDRESS + "\", \"card\": \"" + CARD_NUMBER + "\"}"));
    }

    @Test
    void personalDataNamedByThePolicyIsHiddenFromThenOn() {
        JsonNode before = run();
        assertThat(before.path("output").asText()).isEqualTo("to " + EMAIL_ADDRESS + " from " + IP_ADDRESS + "\n");
        assertThat(before.at("/result/echoed/cards/0").asText()).isEqualTo(CARD_NUMBER);

        assertThat(api.post(POLICIES, "{\"document\": {\"rules\": [], \"hide\": [\"mail\"]}}")
                        .problemType())
                .isEqualTo("invalid-policy");
        api.post(
                        POLICIES,
                        "{\"document\": {\"rules\": [], \"hide\": [\"email\", \"card\"]}, \"comment\": \"personal\"}")
                .expectStatus(201);
        JsonNode hidden = run();
        String id = hidden.path("id").asText();

        assertThat(hidden.at("/result/length").asInt()).isEqualTo(EMAIL_ADDRESS.length());
        assertThat(hidden.at("/result/echoed").toString()).isEqualTo("{\"to\":\"[email]\",\"cards\":[\"[card]\"]}");
        assertThat(hidden.at("/result/address").asText()).isEqualTo(IP_ADDRESS);
        assertThat(hidden.path("output").asText()).isEqualTo("to [email]******** from " + IP_ADDRESS + "\n");
        assertThat(hidden.path("errorOutput").asText()).isEqualTo("card [card]*************\n");
        String everything = api.getTrace(id).toString()
                + api.get(RestClient.EXECUTIONS + "/" + id + "/journal")
                        .expectStatus(200)
                        .text()
                + api.get(RestClient.EXECUTIONS + "/" + id + "/diff?with=" + runWithOtherData())
                        .expectStatus(200)
                        .text()
                + api.get(RestClient.EXECUTIONS + "/" + id + "/events")
                        .expectStatus(200)
                        .text();
        // The arguments of a submission are not redacted for the submitter.
        assertThat(everything.replaceAll("\"args\":\\{[^}]*}", ""))
                .contains("[email]", "[card]", IP_ADDRESS)
                .doesNotContain(EMAIL_ADDRESS, CARD_NUMBER, "bob@");
        // The current policy also applies to data that was stored before it.
        Await.until(
                "the trace of the first run hides it too",
                Duration.ofSeconds(60),
                () -> !api.getTrace(before.path("id").asText()).toString().contains(EMAIL_ADDRESS));
    }
}
