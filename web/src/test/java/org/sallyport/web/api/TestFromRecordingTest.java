package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

class TestFromRecordingTest {
    private final TestFromRecording recorded = new TestFromRecording();
    private long call;

    private void addCall(String tool, Optional<ToolErrorCode> error) {
        call++;
        ToolName name = ToolName.parse(tool);
        recorded.add(
                new TraceEvent.ToolStarted(2 * call, Instant.EPOCH, call, name, Json.EMPTY_OBJECT),
                CapabilityCallIndex.NONE);
        recorded.add(
                new TraceEvent.ToolEnded(
                        2 * call + 1,
                        Instant.EPOCH,
                        call,
                        name,
                        1,
                        0,
                        error.isEmpty() ? Optional.of(Json.EMPTY_OBJECT) : Optional.empty(),
                        error.map(code -> new ToolError(code, "failed"))),
                CapabilityCallIndex.NONE);
    }

    /** A backend may answer tool-not-found for a tool that exists, for example when it gets a 404 itself. */
    @Test
    void toolThatWasNotFoundIsReportedButNotDropped() {
        addCall("crm.find", Optional.of(ToolErrorCode.TOOL_NOT_FOUND));
        addCall("crm.list", Optional.empty());
        addCall("mail.send", Optional.of(ToolErrorCode.TOOL_NOT_FOUND));
        addCall("mail.send", Optional.of(ToolErrorCode.TIMEOUT));
        assertThat(recorded.tools()).containsExactly("crm.find", "crm.list", "mail.send");
        assertThat(recorded.toolsNeverFound()).containsExactly("crm.find");
    }
}
