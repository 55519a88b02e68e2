package org.sallyport.sandbox.protocol;

import java.util.List;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionLimits;

/** One message between server and worker. Sessions and checks are numbered by the server. */
public sealed interface Frame {
    /** Raised whenever a frame changes; both sides are built together, so only equal versions speak. */
    int VERSION = 1;

    /** What a server says. */
    sealed interface ToWorker extends Frame {}

    /** What a worker says. */
    sealed interface ToServer extends Frame {}

    /** A list of tools that sessions name by its number. Sent once. */
    record Menu(long menu, List<GuestTool> tools) implements ToWorker {
        public Menu {
            tools = List.copyOf(tools);
        }
    }

    /** Starts a session. */
    record Execute(long session, Script script, String args, String context, SessionLimits limits, long menu)
            implements ToWorker {}

    /** Asks for a script's verdict. */
    record Check(long check, Script script) implements ToWorker {}

    /** Answers a call. */
    record Resolve(long session, long call, String result) implements ToWorker {}

    /** Fails a call. */
    record Reject(long session, long call, GuestError error) implements ToWorker {}

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

    /** A session is over. */
    record Done(long session, SessionEnd end) implements ToServer {}

    /**
     * How a worker is, while it has sessions.
     *
     * @param computing sessions that compute just now
     * @param heapPercent share of the heap that survived the last collection
     * @param damaged whether it asks to be replaced
     */
    record Heartbeat(List<Long> computing, int heapPercent, boolean damaged) implements ToServer {
        public Heartbeat {
            computing = List.copyOf(computing);
        }
    }
}
