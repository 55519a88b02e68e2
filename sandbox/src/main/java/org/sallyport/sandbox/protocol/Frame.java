package org.sallyport.sandbox.protocol;

import java.util.List;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.ReplayState;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.Toolbox;

/** One message between server and worker. Sessions and checks are numbered by the server. */
public sealed interface Frame {
    /** Raised whenever a frame changes; both sides are built together, so only equal versions speak. */
    int VERSION = 5;

    /** What a server says. */
    sealed interface WorkerBoundFrame extends Frame {}

    /** What a worker says. */
    sealed interface ServerBoundFrame extends Frame {}

    /** Tools and modules that sessions name by their number. Sent once. */
    record ToolboxFrame(long toolboxId, Toolbox toolbox) implements WorkerBoundFrame {}

    /** Starts a session. */
    record ExecuteFrame(
            long session,
            Script script,
            String args,
            String context,
            SessionLimits limits,
            long toolboxId,
            String env,
            SandboxDebugMode debugMode,
            ReplayState replayState,
            long parkAfterMillis)
            implements WorkerBoundFrame {}

    /** Asks for a script's verdict. */
    record CheckFrame(long check, Script script) implements WorkerBoundFrame {}

    /** Answers a call. */
    record ResolveFrame(long session, long call, String result) implements WorkerBoundFrame {}

    /** Fails a call. */
    record RejectFrame(long session, long call, GuestError error) implements WorkerBoundFrame {}

    /** The answer to a call will take long. */
    record PostponeFrame(long session, long call) implements WorkerBoundFrame {}

    /** A session is to be parked when it waits this long for its timers. */
    record ParkThresholdFrame(long session, long millis) implements WorkerBoundFrame {}

    /** Stops a session. */
    record CancelFrame(long session) implements WorkerBoundFrame {}

    /** The first frame of a worker. */
    record HelloFrame(int version, String token) implements ServerBoundFrame {}

    /** The verdict on a script. */
    record CheckResultFrame(long check, ScriptCheckResult result) implements ServerBoundFrame {}

    /** A script calls a tool. */
    record ToolCallFrame(long session, long call, String backend, String tool, String arguments)
            implements ServerBoundFrame {}

    /** A script wrote. */
    record OutputFrame(long session, OutputStreamKind stream, String text) implements ServerBoundFrame {}

    /** A stream is full. */
    record OutputTruncatedFrame(long session, OutputStreamKind stream) implements ServerBoundFrame {}

    /** A script says how far it is: {@code permille} from 0 to 1,000. */
    record ProgressFrame(long session, int permille, String text) implements ServerBoundFrame {}

    /** What else a script heard. */
    record ReplayLogFrame(long session, String log) implements ServerBoundFrame {}

    /** A debugger can attach to a session. */
    record DebuggerReadyFrame(long session, String url) implements ServerBoundFrame {}

    /** A session was sampled. */
    record ProfileFrame(long session, String profile) implements ServerBoundFrame {}

    /** A session is over. */
    record SessionResultFrame(long session, SessionResult result) implements ServerBoundFrame {}

    /**
     * How a worker is, while it has sessions.
     *
     * @param computingSessions sessions that compute just now
     * @param allocatedMegabytes megabytes that each of these asked for so far, in their order
     * @param heapPercent share of the heap that survived the last collection
     * @param damaged whether it asks to be replaced
     */
    record HeartbeatFrame(List<Long> computingSessions, List<Long> allocatedMegabytes, int heapPercent, boolean damaged)
            implements ServerBoundFrame {
        public HeartbeatFrame {
            computingSessions = List.copyOf(computingSessions);
            allocatedMegabytes = List.copyOf(allocatedMegabytes);
        }
    }
}
