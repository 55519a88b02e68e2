package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.SandboxSession;

/** Commands to a session that has not started yet. */
class DeferredSessionTest {
    private static final class RecordingSession implements SandboxSession {
        private final List<String> words = new ArrayList<>();

        @Override
        public void resolve(long call, String result) {
            words.add(call + " " + result);
        }

        @Override
        public void reject(long call, GuestError error) {
            words.add(call + " " + error.code());
        }

        @Override
        public void postpone(long call) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void lowerParkThreshold(long millis) {
            words.add("park " + millis);
        }

        @Override
        public void cancel() {
            words.add("cancel");
        }
    }

    private final RecordingSession heard = new RecordingSession();
    private final DeferredSession session = new DeferredSession();

    @Test
    void commandsBeforeTheSessionStartsAreDeliveredInOrder() {
        session.resolve(1, "a");
        session.reject(2, new GuestError("denied", "no", false, null));
        session.resolve(3, "b");
        assertThat(heard.words).isEmpty();
        session.attach(heard);
        session.lowerParkThreshold(7);
        session.cancel();
        assertThat(heard.words).containsExactly("1 a", "2 denied", "3 b", "park 7", "cancel");
    }

    @Test
    void concurrentCommandsDuringAttachKeepTheirOrder() throws Exception {
        Thread speaker = new Thread(() -> IntStream.range(0, 10_000).forEach(i -> session.resolve(i, "")));
        speaker.start();
        session.attach(heard);
        speaker.join();
        assertThat(heard.words)
                .containsExactlyElementsOf(
                        IntStream.range(0, 10_000).mapToObj(i -> i + " ").toList());
    }
}
