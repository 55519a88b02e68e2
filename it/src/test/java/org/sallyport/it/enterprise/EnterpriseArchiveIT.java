package org.sallyport.it.enterprise;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.PayaraDomain;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/** The enterprise archive, including the resource adapter, with a jar of an administrator, on Payara Server. */
class EnterpriseArchiveIT {
    @Test
    void runsAScriptWithToolCallsOnPayaraServer() {
        try (PayaraDomain domain = PayaraDomain.start()) {
            domain.deploy("sallyport", CheckoutPaths.enterpriseArchive());
            RestClient api = domain.api();
            Await.until(
                    "the application is ready",
                    Duration.ofSeconds(180),
                    () -> api.get("/health/ready").status() == 200);

            JsonNode execution = api.run(SubmissionBody.typescript("""
                    const sums: number[] = await Promise.all([1, 2, 3].map((n) => demo.add({ a: n, b: n })));
                    console.log("sums:", sums.join(" "));
                    return sums;
                    """));

            assertThat(execution.path("state").asText())
                    .describedAs(execution.toString())
                    .isEqualTo("COMPLETED");
            assertThat(execution.path("result")).extracting(JsonNode::asInt).containsExactly(2, 4, 6);
            assertThat(execution.path("output").asText()).isEqualTo("sums: 2 4 6\n");
            List<String> events = api.getTrace(execution.path("id").asText()).stream()
                    .map(event -> event.path("type").asText())
                    .filter(type -> type.startsWith("tool_"))
                    .sorted()
                    .toList();
            assertThat(events)
                    .containsExactly("tool_end", "tool_end", "tool_end", "tool_start", "tool_start", "tool_start");
            JsonNode offer = api.run(
                    SubmissionBody.javascript("return (await freight.quote({ country: 'SE', weight: 2 })).days;"));
            assertThat(offer.path("result").asInt()).as(offer.toString()).isEqualTo(3);
            assertThat(api.withoutKey().get(RestClient.EXECUTIONS).status()).isEqualTo(401);
        }
    }
}
