package org.sallyport.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Cases C16 and C28: a client without an account cannot use the broker. A client with an account that sends forged,
 * malformed, serialized or huge messages to every destination changes no execution.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
class ForgedMessagesIT {
    private static final int WAITING_EXECUTIONS = 8;

    @Test
    void forgedMessagesChangeNoExecution() throws IOException {
        try (BrokerProcess broker = BrokerProcess.start();
                SallyportServer server =
                        broker.configure(ServerSetup.create("forged")).start()) {
            RestClient api = server.api();
            String incarnation = ResourceUsage.systemProperty(server, "sallyport.node.incarnation");
            assertThat(incarnation).isNotEmpty();
            List<String> waiting = IntStream.range(0, WAITING_EXECUTIONS)
                    .mapToObj(number -> api.submit(SubmissionBody.javascript(
                                    "console.log('begun'); return await demo.slow({ millis: 15000, value: args });")
                            .args(Integer.toString(number))))
                    .toList();
            waiting.forEach(id -> api.awaitOutput(id, "begun"));

            String said = broker.runProgram(source(), "sallyport.reply." + incarnation, waiting.get(0));

            assertThat(said).doesNotContain("let in").contains("sent ");
            for (int i = 0; i < WAITING_EXECUTIONS; i++) {
                JsonNode ended = api.awaitEnd(waiting.get(i));
                assertThat(ended.path("result").asInt(-1)).as(ended.toString()).isEqualTo(i);
            }
            JsonNode after = api.run(SubmissionBody.javascript("return await demo.add({ a: 40, b: 2 });"));
            assertThat(after.path("result").asInt()).as(after.toString()).isEqualTo(42);
            assertThat(server.isAlive()).isTrue();
        }
    }

    private static String source() throws IOException {
        try (InputStream stream = Objects.requireNonNull(ForgedMessagesIT.class.getResourceAsStream("Forger.java"))) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
