package org.sallyport.sandbox.protocol;

import java.util.List;
import org.sallyport.sandbox.BlockedAccess;
import org.sallyport.sandbox.CheckedScript;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.ReplayState;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.Toolbox;

/** One message between server and worker. The server assigns the numbers of sessions and checks. */
public sealed interface Frame {
    /** Incremented whenever a frame changes. Both sides are built together, so only equal versions may connect. */
    int VERSION = 10;

    /** A frame from the server to a worker. */
    sealed interface WorkerBoundFrame extends Frame {}

    /** A frame from a worker to the server. */
    sealed interface ServerBoundFrame extends Frame {}

    /** Tools and modules, which sessions reference by their number. Sent once per worker. */
    record ToolboxFrame(long toolboxId, Toolbox toolbox) implements WorkerBoundFrame {}

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

    /** Requests the check of a script, and its references if {@code withReferences}. */
    record CheckFrame(long check, Script script, boolean withReferences) implements WorkerBoundFrame {}

    record ResolveFrame(long session, long call, String result) implements WorkerBoundFrame {}

    record RejectFrame(long session, long call, GuestError error) implements WorkerBoundFrame {}

    /** Reports that the answer to a call will take long. */
    record PostponeFrame(long session, long call) implements WorkerBoundFrame {}

    /** Lowers the wait for timers from which a session is parked. */
    record ParkThresholdFrame(long session, long millis) implements WorkerBoundFrame {}

    /** Allows the call, or the end, for which a {@link ReserveFrame} with the same number was sent. */
    record GrantFrame(long session, long call) implements WorkerBoundFrame {}

    record CancelFrame(long session) implements WorkerBoundFrame {}

    /** The first frame of a worker. */
    record HelloFrame(int version, String token) implements ServerBoundFrame {}

    record CheckResultFrame(long check, CheckedScript checked) implements ServerBoundFrame {}

    record ToolCallFrame(long session, long call, String backend, String tool, String arguments)
            implements ServerBoundFrame {}

    /**
     * Requests memory for the arguments of the next call of a session, or for the result of its script. The call or the
     * end, and all later frames of the session except progress, follow after the {@link GrantFrame}. Not sent while the
     * unanswered calls without such a request have few characters, nor for a short result.
     *
     * @param call ordinal of the call; {@link #RESULT} for the result
     * @param chars characters of the arguments or of the result
     */
    record ReserveFrame(long session, long call, int chars) implements ServerBoundFrame {
        /** Stands in place of a call for the result. */
        public static final long RESULT = 0;

        public boolean isForResult() {
            return call == RESULT;
        }
    }

    record OutputFrame(long session, OutputStreamKind stream, String text) implements ServerBoundFrame {}

    /** The output of a stream reached its limit. */
    record OutputTruncatedFrame(long session, OutputStreamKind stream) implements ServerBoundFrame {}

    /** The progress of a script: {@code permille} from 0 to 1,000. */
    record ProgressFrame(long session, int permille, String text) implements ServerBoundFrame {}

    /** New entries of the replay log of a session. */
    record ReplayLogFrame(long session, String log) implements ServerBoundFrame {}

    /** What the script of a session used although scripts do not have it. Sent before the result. */
    record BlockedAccessFrame(long session, List<BlockedAccess> counts) implements ServerBoundFrame {
        public BlockedAccessFrame {
            counts = List.copyOf(counts);
        }
    }

    /** A debugger can attach to a session. */
    record DebuggerReadyFrame(long session, String url) implements ServerBoundFrame {}

    /** The profile of a session. */
    record ProfileFrame(long session, String profile) implements ServerBoundFrame {}

    record SessionResultFrame(long session, SessionResult result) implements ServerBoundFrame {}

    /**
     * The state of a worker, sent while it has sessions and for a short time afterwards.
     *
     * @param computingSessions sessions that are computing now
     * @param allocatedMegabytes megabytes that each of these has allocated so far, in the same order
     * @param heapPercent share of the heap that survived the last collection, in percent
     * @param damaged whether the worker asks to be replaced
     */
    record HeartbeatFrame(List<Long> computingSessions, List<Long> allocatedMegabytes, int heapPercent, boolean damaged)
            implements ServerBoundFrame {
        public HeartbeatFrame {
            computingSessions = List.copyOf(computingSessions);
            allocatedMegabytes = List.copyOf(allocatedMegabytes);
        }
    }
}
