package org.sallyport.sandbox.protocol;

import java.util.List;
import org.sallyport.sandbox.Debug;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.Past;
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.Toolbox;

/** One message between server and worker. Sessions and checks are numbered by the server. */
public sealed interface Frame {
    /** Raised whenever a frame changes; both sides are built together, so only equal versions speak. */
    int VERSION = 5;

    /** What a server says. */
    sealed interface ToWorker extends Frame {}

    /** What a worker says. */
    sealed interface ToServer extends Frame {}

    /** Tools and modules that sessions name by their number. Sent once. */
    record Menu(long menu, Toolbox toolbox) implements ToWorker {}

    /** Starts a session. */
    record Execute(
            long session,
            Script script,
            String args,
            String context,
            SessionLimits limits,
            long menu,
            String env,
            Debug debug,
            Past past,
            long parkMillis)
            implements ToWorker {}

    /** Asks for a script's verdict. */
    record Check(long check, Script script) implements ToWorker {}

    /** Answers a call. */
    record Resolve(long session, long call, String result) implements ToWorker {}

    /** Fails a call. */
    record Reject(long session, long call, GuestError error) implements ToWorker {}

    /** The answer to a call will take long. */
    record Postpone(long session, long call) implements ToWorker {}

    /** A session is to be parked when it waits this long for its timers. */
    record Park(long session, long millis) implements ToWorker {}

    /** Stops a session. */
    record Cancel(long session) implements ToWorker {}

    /** The first frame of a worker. */
    record Hello(int version, String token) implements ToServer {}

    /** The verdict on a script. */
    record Checked(long check, Preparation verdict) implements ToServer {}

    /** A script calls a tool. */
    record Call(long session, long call, String backend, String tool, String arguments) implements ToServer {}

    /** A script wrote. */
    record Output(long session, OutputStreamKind stream, String text) implements ToServer {}

    /** A stream is full. */
    record Truncated(long session, OutputStreamKind stream) implements ToServer {}

    /** A script says how far it is: {@code permille} from 0 to 1,000. */
    record Progress(long session, int permille, String text) implements ToServer {}

    /** What else a script heard. */
    record Recorded(long session, String log) implements ToServer {}

    /** A debugger can attach to a session. */
    record Inspectable(long session, String url) implements ToServer {}

    /** A session was sampled. */
    record Profiled(long session, String profile) implements ToServer {}

    /** A session is over. */
    record Done(long session, SessionEnd end) implements ToServer {}

    /**
     * How a worker is, while it has sessions.
     *
     * @param computing sessions that compute just now
     * @param allocated megabytes that each of these asked for so far, in their order
     * @param heapPercent share of the heap that survived the last collection
     * @param damaged whether it asks to be replaced
     */
    record Heartbeat(List<Long> computing, List<Long> allocated, int heapPercent, boolean damaged) implements ToServer {
        public Heartbeat {
            computing = List.copyOf(computing);
            allocated = List.copyOf(allocated);
        }
    }
}
