package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.NodeProgram;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** A connector for Node.js at a broker of its own process, whose administrator made the accounts. */
@Tag("slow")
@ExtendWith(Servers.class)
class ConnectorsAtAnExternalBrokerIT {
    private static final String BACKENDS = "/api/v1/backends";
    private static final String PASSWORD = "only-for-this-one-test";
    private static final Duration PATIENCE = Duration.ofSeconds(180);

    @Test
    void aConnectorServesWhatItsBrokerLetsItAndIsThereAgainAfterTheBroker() {
        try (BrokerProcess broker = BrokerProcess.startFor("texts", PASSWORD);
                SallyportServer server =
                        broker.usedBy(ServerSetup.fresh("connectors-elsewhere")).start()) {
            Api api = server.api();
            api.post(BACKENDS, "{\"name\":\"texts\",\"kind\":\"external\",\"settings\":{\"aliveMillis\":15000}}")
                    .expect(201);
            try (NodeProgram connector = NodeProgram.start(
                    Checkout.home().resolve("examples/external-connector/connector.mjs"),
                    Map.of("BACKEND", "texts", "PASSWORD", PASSWORD),
                    broker.address())) {
                awaitState(api, connector, "ready");
                assertThat(words(api)).isEqualTo(2);

                broker.kill();
                awaitState(api, connector, "down");
                broker.begin();
                awaitState(api, connector, "ready");
                assertThat(words(api)).isEqualTo(2);
            }
        }
    }

    private static int words(Api api) {
        JsonNode execution = api.run(Submission.javascript("return (await texts.count({ text: 'two words' })).words"));
        return execution.path("result").asInt(-1);
    }

    private static void awaitState(Api api, NodeProgram connector, String state) {
        try {
            Await.until(
                    "the backend is " + state,
                    PATIENCE,
                    () -> api.get(BACKENDS + "/texts")
                            .expect(200)
                            .json()
                            .at("/status/state")
                            .asText()
                            .equals(state));
        } catch (AssertionError e) {
            throw new AssertionError(api.get(BACKENDS + "/texts").text() + "\n" + connector.printed(), e);
        }
    }
}
