package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.NodeJsProcess;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/** A Node.js connector at an external broker whose administrator created the accounts. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
class ExternalBrokerConnectorIT {
    private static final String BACKENDS = "/api/v1/backends";
    private static final String PASSWORD = "only-for-this-one-test";
    private static final Duration TIMEOUT = Duration.ofSeconds(180);

    @Test
    void connectorServesCallsAndReconnectsAfterABrokerRestart() {
        try (BrokerProcess broker = BrokerProcess.startForConnector("texts", PASSWORD);
                SallyportServer server = broker.configure(ServerSetup.create("connectors-elsewhere"))
                        .start()) {
            RestClient api = server.api();
            api.post(BACKENDS, "{\"name\":\"texts\",\"kind\":\"external\",\"settings\":{\"aliveMillis\":15000}}")
                    .expectStatus(201);
            try (NodeJsProcess connector = NodeJsProcess.start(
                    CheckoutPaths.root().resolve("examples/external-connector/connector.mjs"),
                    Map.of("BACKEND", "texts", "PASSWORD", PASSWORD),
                    broker.address())) {
                awaitState(api, connector, "ready");
                assertThat(countWords(api)).isEqualTo(2);

                broker.kill();
                awaitState(api, connector, "down");
                broker.startProcess();
                awaitState(api, connector, "ready");
                assertThat(countWords(api)).isEqualTo(2);
            }
        }
    }

    private static int countWords(RestClient api) {
        JsonNode execution =
                api.run(SubmissionBody.javascript("return (await texts.count({ text: 'two words' })).words"));
        return execution.path("result").asInt(-1);
    }

    private static void awaitState(RestClient api, NodeJsProcess connector, String state) {
        try {
            Await.until(
                    "the backend is " + state,
                    TIMEOUT,
                    () -> api.get(BACKENDS + "/texts")
                            .expectStatus(200)
                            .json()
                            .at("/status/state")
                            .asText()
                            .equals(state));
        } catch (AssertionError e) {
            throw new AssertionError(api.get(BACKENDS + "/texts").text() + "\n" + connector.output(), e);
        }
    }
}
