package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
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

    /** The functions that mock tools, and the script under test, see texts in place of numbers with too many digits. */
    @Test
    void numbersKeepTheirDigits() {
        ToolName name = ToolName.parse("crm.find");
        recorded.add(
                new TraceEvent.ToolStarted(1, Instant.EPOCH, 1, name, new Json("{\"id\":725653563933458432}")),
                CapabilityCallIndex.NONE);
        recorded.add(
                new TraceEvent.ToolEnded(
                        2,
                        Instant.EPOCH,
                        1,
                        name,
                        1,
                        0,
                        Optional.of(new Json("{\"id\":\"725653563933458432\"}")),
                        Optional.empty()),
                CapabilityCallIndex.NONE);
        String code = recorded.code(
                new ExecutionId(new UUID(0, 1)), new Json("[9007199254740993]"), Json.EMPTY_OBJECT, Json.NULL);
        assertThat(code)
                .contains("{\\\"args\\\":{\\\"id\\\":\\\"725653563933458432\\\"},\\\"result\\\":{")
                .contains("{\\\"args\\\":[\\\"9007199254740993\\\"],")
                .doesNotContain(":725653563933458432");
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
