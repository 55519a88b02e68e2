package org.sallyport.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.runner.WithoutSecrets;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

class ServedTest {
    private static final ToolResult ONE = ToolResult.success(new Json("1"));

    @Test
    void onlyAConnectorTellsHowLongTheBackendHadACall() {
        assertThat(Served.of(ToolReply.local(ONE))).isEmpty();
        assertThat(Served.of(ToolReply.local(ToolResult.failure(ToolErrorCode.TIMEOUT, "late"))))
                .isEmpty();
        assertThat(Served.of(new ToolReply(ONE, 0, 0).at("a"))).contains(new Served(0, Optional.of("a")));
    }

    @Test
    void aNodeThatDoesNotSayItsNameStillTellsTheTime() {
        assertThat(Served.of(new ToolReply(ONE, 0, 7))).contains(new Served(7, Optional.empty()));
        assertThat(Served.of(new ToolReply(ONE, 3, 0))).contains(new Served(0, Optional.empty()));
    }

    @Test
    void whoRepeatsOrReadsAnAnswerFindsWhoServedIt() {
        Optional<Served> served = Optional.of(new Served(7, Optional.of("a")));
        TraceEvent.ToolEnded ended = new TraceEvent.ToolEnded(
                1,
                Instant.EPOCH,
                1,
                new ToolName("b", "t"),
                9,
                1,
                Optional.of(new Json("\"geheimnis\"")),
                Optional.empty(),
                false,
                1,
                served);

        assertThat(ended.repeated(2, Instant.EPOCH).served()).isEqualTo(served);
        TraceEvent shown = new WithoutSecrets(new Redaction(List.of("geheimnis"))).of(ended);
        assertThat(((TraceEvent.ToolEnded) shown).served()).isEqualTo(served);
        assertThat(shown).isNotEqualTo(ended);
    }
}
