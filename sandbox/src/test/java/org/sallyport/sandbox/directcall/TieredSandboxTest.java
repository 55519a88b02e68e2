package org.sallyport.sandbox.directcall;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.GuestToolSnapshot;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.guest.InProcessSandbox;
import org.sallyport.sandbox.parser.ReferenceScan;

class TieredSandboxTest {
    private static final List<GuestTool> TOOLS = List.of(new GuestTool("demo", "echo"));
    private static final String JSON_CALL = "{\"tool\": \"demo.echo\", \"arguments\": {\"a\": \"%s\"}}";
    private static final String STATEMENT = "return await demo.echo({ a: '%s' })";

    /** A text of hostile input must not be read in the server, however simple its form is. */
    @ParameterizedTest
    @ValueSource(strings = {JSON_CALL, STATEMENT})
    void longCallGoesToAWorker(String form) throws Exception {
        Script longest = ofLength(form, DirectCallMatcher.MAX_CHARS);
        Script longer = ofLength(form, DirectCallMatcher.MAX_CHARS + 1);
        try (Sandbox tiered = new TieredSandbox(new FailingSandbox())) {
            assertThat(tiered.check("t", longest).toCompletableFuture().get())
                    .isEqualTo(new ScriptCheckResult.ScriptAccepted(SourceLanguage.JAVASCRIPT, false));
            assertThat(end(tiered, longest)).isInstanceOf(SessionResult.ScriptReturned.class);
            assertThatThrownBy(() -> tiered.check("t", longer))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("an engine was asked");
            assertThatThrownBy(() -> end(tiered, longer))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("an engine was started");
        }
        assertThat(Tier.of(longer, new Toolbox(TOOLS, List.of()))).isEqualTo(Tier.SANDBOX);
    }

    @ParameterizedTest
    @ValueSource(strings = {JSON_CALL, STATEMENT})
    void longCallHasItsResultAndItsReference(String form) throws Exception {
        Script longer = ofLength(form, DirectCallMatcher.MAX_CHARS + 1);
        try (Sandbox tiered = new TieredSandbox(new InProcessSandbox(1))) {
            assertThat(end(tiered, longer)).isInstanceOfSatisfying(SessionResult.ScriptReturned.class, returned -> {
                assertThat(returned.result()).startsWith("{\"a\":\"xxx");
                assertThat(returned.result().length()).isGreaterThan(DirectCallMatcher.MAX_CHARS / 2);
            });
        }
        assertThat(ToolReference.findIn(longer, ReferenceScan.of(longer), GuestToolSnapshot.of(TOOLS)))
                .extracting(ToolReference::tool, ToolReference::exists, ToolReference::line)
                .containsExactly(tuple(TOOLS.get(0), true, 1));
    }

    @Test
    void longCallWaitsForItsReservation() throws Exception {
        Script script = ofLength(STATEMENT, DirectCallMatcher.MAX_CHARS);
        try (Sandbox tiered = new TieredSandbox(new FailingSandbox())) {
            RecordingListener listener = RecordingListener.startWithoutReservations(tiered, request(script));
            int chars = DirectCallMatcher.MAX_CHARS - STATEMENT.length() + "%s".length() + "{\"a\":\"\"}".length();
            assertThat(listener.reservations()).containsExactly("1 " + chars);
            assertThat(listener.calls()).isEmpty();
            listener.grantReservations();
            assertThat(listener.end()).isInstanceOf(SessionResult.ScriptReturned.class);

            RecordingListener cancelled = RecordingListener.startWithoutReservations(tiered, request(script));
            cancelled.session().cancel();
            cancelled.grantReservations();
            assertThat(cancelled.end()).isEqualTo(new SessionResult.SessionCancelled());
            assertThat(cancelled.calls()).isEmpty();
        }
    }

    private static Script ofLength(String form, int chars) {
        return new Script(
                String.format(form, "x".repeat(chars - form.length() + "%s".length())), SourceLanguage.JAVASCRIPT);
    }

    private static SessionResult end(Sandbox sandbox, Script script) throws Exception {
        return RecordingListener.start(sandbox, request(script)).end();
    }

    private static SessionRequest request(Script script) {
        return new SessionRequest(
                "s",
                "t",
                script,
                "{}",
                "{}",
                new SessionLimits(10_000, 64 << 20, 20, 8, 4_000, 200_000, 200_000, 10, 10, 1_000, 10),
                new Toolbox(TOOLS, List.of()));
    }
}
