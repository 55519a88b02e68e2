package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.it.harness.Tenant;

/** What a tenant's policy hides is in no output, result or trace, and tools get it all the same. */
@Server(Profile.RICH)
@ExtendWith(Servers.class)
class PersonalDataIT {
    private static final String POLICIES = "/api/v1/policies";
    private static final String MAIL = "ada@example.org";
    private static final String CARD = "4111 1111 1111 1111";
    private static final String ADDRESS = "192.0.2.17";
    private static final String CODE = """
            const echoed = await demo.echo({ to: args.mail, cards: [args.card] });
            console.log("to " + args.mail, "from 192.0.2.17");
            console.error("card", args.card);
            return { echoed, length: echoed.to.length, address: "192.0.2.17" };
            """;

    private final Api api;

    PersonalDataIT(Tenant tenant) {
        this.api = tenant.api();
    }

    /** A run of the same code that calls its tool with something else. */
    private String other() {
        return api.run(Submission.javascript(CODE).args("{\"mail\": \"bob@example.org\", \"card\": \"none\"}"))
                .path("id")
                .asText();
    }

    private JsonNode run() {
        return api.run(Submission.javascript(CODE).args("{\"mail\": \"" + MAIL + "\", \"card\": \"" + CARD + "\"}"));
    }

    @Test
    void whatThePolicyNamesIsHiddenFromThenOn() {
        JsonNode before = run();
        assertThat(before.path("output").asText()).isEqualTo("to " + MAIL + " from " + ADDRESS + "\n");
        assertThat(before.at("/result/echoed/cards/0").asText()).isEqualTo(CARD);

        assertThat(api.post(POLICIES, "{\"document\": {\"rules\": [], \"hide\": [\"mail\"]}}")
                        .problem())
                .isEqualTo("invalid-policy");
        api.post(
                        POLICIES,
                        "{\"document\": {\"rules\": [], \"hide\": [\"email\", \"card\"]}, \"comment\": \"personal\"}")
                .expect(201);
        JsonNode hidden = run();
        String id = hidden.path("id").asText();

        assertThat(hidden.at("/result/length").asInt()).isEqualTo(MAIL.length());
        assertThat(hidden.at("/result/echoed").toString()).isEqualTo("{\"to\":\"[email]\",\"cards\":[\"[card]\"]}");
        assertThat(hidden.at("/result/address").asText()).isEqualTo(ADDRESS);
        assertThat(hidden.path("output").asText()).isEqualTo("to [email]******** from " + ADDRESS + "\n");
        assertThat(hidden.path("errorOutput").asText()).isEqualTo("card [card]*************\n");
        String everything = api.trace(id).toString()
                + api.get(Api.EXECUTIONS + "/" + id + "/journal").expect(200).text()
                + api.get(Api.EXECUTIONS + "/" + id + "/diff?with=" + other())
                        .expect(200)
                        .text()
                + api.get(Api.EXECUTIONS + "/" + id + "/events").expect(200).text();
        // What was submitted is the submitter's own.
        assertThat(everything.replaceAll("\"args\":\\{[^}]*}", ""))
                .contains("[email]", "[card]", ADDRESS)
                .doesNotContain(MAIL, CARD, "bob@");
        // What was kept before is shown by what holds now.
        Await.until(
                "the trace of the first run hides it too",
                Duration.ofSeconds(60),
                () -> !api.trace(before.path("id").asText()).toString().contains(MAIL));
    }
}
