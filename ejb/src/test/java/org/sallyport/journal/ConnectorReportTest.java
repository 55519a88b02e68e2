package org.sallyport.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.redaction.Redactor;
import org.sallyport.runner.TraceRedactor;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

class ConnectorReportTest {
    private static final ToolResult ONE = ToolResult.success(new Json("1"));

    @Test
    void onlyConnectorRepliesHaveAConnectorReport() {
        assertThat(ConnectorReport.of(ToolReply.local(ONE))).isEmpty();
        assertThat(ConnectorReport.of(ToolReply.local(ToolResult.failure(ToolErrorCode.TIMEOUT, "late"))))
                .isEmpty();
        assertThat(ConnectorReport.of(new ToolReply(ONE, 0, 0).withNode("a")))
                .contains(new ConnectorReport(0, Optional.of("a")));
    }

    @Test
    void backendTimeIsReportedWithoutANodeName() {
        assertThat(ConnectorReport.of(new ToolReply(ONE, 0, 7))).contains(new ConnectorReport(7, Optional.empty()));
        assertThat(ConnectorReport.of(new ToolReply(ONE, 3, 0))).contains(new ConnectorReport(0, Optional.empty()));
    }

    @Test
    void connectorReportSurvivesReplayAndRedaction() {
        Optional<ConnectorReport> served = Optional.of(new ConnectorReport(7, Optional.of("a")));
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

        assertThat(ended.asReplayed(2, Instant.EPOCH).connectorReport()).isEqualTo(served);
        TraceEvent shown = new TraceRedactor(new Redactor(List.of("geheimnis"))).redact(ended);
        assertThat(((TraceEvent.ToolEnded) shown).connectorReport()).isEqualTo(served);
        assertThat(shown).isNotEqualTo(ended);
    }
}
