package org.sallyport.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxContract;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;

class InProcessSandboxTest extends SandboxContract {
    private static final int TIMES = 40;

    @SuppressWarnings("NullAway.Init")
    private static Sandbox sandbox;

    @BeforeAll
    static void open() {
        sandbox = new InProcessSandbox(2);
    }

    @AfterAll
    static void close() {
        sandbox.close();
    }

    @Override
    protected Sandbox sandbox() {
        return sandbox;
    }

    /**
     * During the close, threads of the sandbox create contexts for future sessions and close the context of the last
     * one.
     */
    @Test
    void closingASandboxAfterASessionAffectsNoOtherSandbox() throws Exception {
        for (int i = 0; i < TIMES; i++) {
            try (Sandbox brief = new InProcessSandbox(2)) {
                RecordingListener running =
                        RecordingListener.start(brief, request("await demo.never()", SourceLanguage.JAVASCRIPT));
                assertThat(RecordingListener.start(brief, request("return 1", SourceLanguage.JAVASCRIPT))
                                .end())
                        .isInstanceOf(SessionResult.ScriptReturned.class);
                running.session().cancel();
                assertThat(running.end()).isEqualTo(new SessionResult.SessionCancelled());
            }
        }
    }
}
