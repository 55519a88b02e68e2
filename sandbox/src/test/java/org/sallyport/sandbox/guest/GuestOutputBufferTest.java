package org.sallyport.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionResult;

class GuestOutputBufferTest {
    private final StringBuilder reported = new StringBuilder();
    private final GuestOutputBuffer buffer = new GuestOutputBuffer(new OutputListener(), 2_000, () -> {});

    private final class OutputListener implements SessionListener {
        @Override
        public void onToolCall(long call, String backend, String tool, String arguments) {}

        @Override
        public void onOutput(OutputStreamKind stream, String text) {
            reported.append(stream).append(':').append(text);
        }

        @Override
        public void onOutputTruncated(OutputStreamKind stream) {
            reported.append("[cut ").append(stream).append(']');
        }

        @Override
        public void onProgress(double fraction, String text) {}

        @Override
        public void onEnded(SessionResult end) {}
    }

    @Test
    void heldBackOutputCountsAsTruncatedWhenTheSessionParks() {
        buffer.print(OutputStreamKind.OUT, "x".repeat(1_900));
        buffer.flushBeforeParking();
        assertThat(reported).hasToString("OUT:" + "x".repeat(1_800) + "[cut OUT]");
    }

    @Test
    void shortOutputIsCompleteWhenTheSessionParks() {
        buffer.print(OutputStreamKind.OUT, "x".repeat(1_800));
        buffer.flushBeforeParking();
        assertThat(reported).hasToString("OUT:" + "x".repeat(1_800));
    }

    @Test
    void heldBackOutputIsReportedAtTheEnd() {
        buffer.print(OutputStreamKind.OUT, "x".repeat(1_900));
        buffer.print(OutputStreamKind.ERR, "failed");
        buffer.finish();
        assertThat(reported).hasToString("OUT:" + "x".repeat(1_800) + "ERR:failedOUT:" + "x".repeat(100));
    }
}
