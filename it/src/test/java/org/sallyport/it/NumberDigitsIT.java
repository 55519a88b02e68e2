package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** Numbers that JavaScript would change. Scripts receive them as texts, and send them as BigInts. */
@ExtendWith(ServerExtension.class)
class NumberDigitsIT {
    private final RestClient api;

    NumberDigitsIT(RestClient api) {
        this.api = api;
    }

    private JsonNode completed(SubmissionBody body) {
        JsonNode execution = api.run(body);
        assertThat(execution.path("state").asText()).as(execution.toString()).isEqualTo("COMPLETED");
        return execution;
    }

    @Test
    void digitsSurviveInArgsToolCallsTraceAndResult() {
        JsonNode execution = completed(SubmissionBody.javascript(
                        "const back = await demo.echo({ id: BigInt(args.id) }); return [args.id, back.id, args.price];")
                .args("{\"id\": 9007199254740993, \"price\": 19.99}"));

        assertThat(execution.path("result")).hasToString("[\"9007199254740993\",\"9007199254740993\",19.99]");
        List<JsonNode> events = api.getTrace(execution.path("id").asText()).stream()
                .filter(event -> event.path("tool").asText().equals("demo.echo"))
                .toList();
        assertThat(events.get(0).path("args")).hasToString("{\"id\":9007199254740993}");
        assertThat(events.get(events.size() - 1).path("result")).hasToString("{\"id\":\"9007199254740993\"}");
    }

    @Test
    void allTiersReceiveTheSameValue() {
        completed(SubmissionBody.javascript(
                "await demo.kv_put({ key: 'digits', value: { id: 9007199254740993n, part: 1e-7, n: 5 } });"));
        List<String> tiers = new ArrayList<>();
        for (String code : List.of(
                "{\"tool\": \"demo.kv_get\", \"arguments\": {\"key\": \"digits\"}}",
                "return await demo.kv_get({ key: 'digits' })",
                "for (const get of [demo.kv_get]) return await get({ key: 'digits' })")) {
            JsonNode execution = completed(SubmissionBody.javascript(code));
            assertThat(execution.path("result").path("id")).as(code).hasToString("\"9007199254740993\"");
            tiers.add(execution.path("tier").asText());
        }
        assertThat(tiers).containsExactly("direct", "simple", "sandbox");
    }
}
