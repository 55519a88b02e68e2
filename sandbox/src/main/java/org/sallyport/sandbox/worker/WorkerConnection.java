package org.sallyport.sandbox.worker;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.sallyport.sandbox.CheckedScript;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.guest.GuestRuntime;
import org.sallyport.sandbox.guest.GuestSession;
import org.sallyport.sandbox.guest.GuestSettings;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.FrameChannel;

/** Executes the frames of the server and reports the events of sessions, until the socket closes. */
final class WorkerConnection {
    private static final long HEARTBEAT_MILLIS = 50;
    /** Heartbeats are sent less often while no session computes. */
    private static final int IDLE_HEARTBEAT_FACTOR = 4;

    private static final long IDLE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final FrameChannel channel;
    private final GuestRuntime runtime;
    private final Map<Long, SandboxSession> sessions = new ConcurrentHashMap<>();
    private final Map<Long, Toolbox> toolboxes = new ConcurrentHashMap<>();
    private volatile long lastWorkNanos = System.nanoTime();

    WorkerConnection(FrameChannel channel, GuestSettings settings) {
        this.channel = channel;
        runtime = new GuestRuntime(settings, this::flush);
    }

    /** Runs a first script, which takes longest; the channel need not be connected yet. */
    void warmUp() {
        WorkerCdsTraining.warmUp(runtime);
    }

    void serve(String token) throws IOException {
        channel.send(new Frame.HelloFrame(Frame.VERSION, token));
        startDaemon("sallyport-warm-up", runtime::warmUp);
        startDaemon("sallyport-heartbeat", this::sendHeartbeats);
        while (true) {
            if (!(channel.receive() instanceof Frame.WorkerBoundFrame frame)) {
                return;
            }
            handleFrame(frame);
        }
    }

    private void handleFrame(Frame.WorkerBoundFrame frame) {
        lastWorkNanos = System.nanoTime();
        if (frame instanceof Frame.ExecuteFrame execute) {
            execute(execute);
        } else if (frame instanceof Frame.ResolveFrame resolve) {
            withSession(resolve.session(), session -> session.resolve(resolve.call(), resolve.result()));
        } else if (frame instanceof Frame.RejectFrame reject) {
            withSession(reject.session(), session -> session.reject(reject.call(), reject.error()));
        } else if (frame instanceof Frame.PostponeFrame postpone) {
            withSession(postpone.session(), session -> session.postpone(postpone.call()));
        } else if (frame instanceof Frame.ParkThresholdFrame park) {
            withSession(park.session(), session -> session.lowerParkThreshold(park.millis()));
        } else if (frame instanceof Frame.CancelFrame cancel) {
            withSession(cancel.session(), SandboxSession::cancel);
        } else if (frame instanceof Frame.ToolboxFrame menu) {
            toolboxes.put(menu.toolboxId(), menu.toolbox());
        } else if (frame instanceof Frame.CheckFrame check) {
            var unused =
                    check(check).thenAccept(done -> sendFrame(new Frame.CheckResultFrame(check.check(), done), true));
        }
    }

    private CompletionStage<CheckedScript> check(Frame.CheckFrame check) {
        return check.withReferences()
                ? runtime.checkWithReferences(check.script())
                : runtime.check(check.script()).thenApply(result -> new CheckedScript(result, ScriptReferences.NONE));
    }

    private void execute(Frame.ExecuteFrame execute) {
        long number = execute.session();
        SessionRequest request = new SessionRequest(
                Long.toString(number),
                "",
                execute.script(),
                execute.args(),
                execute.context(),
                execute.limits(),
                toolboxes.getOrDefault(execute.toolboxId(), Toolbox.EMPTY),
                execute.env(),
                execute.debugMode(),
                execute.replayState(),
                execute.parkAfterMillis());
        // The session may end before start returns: the end callback then runs before the session is added.
        FrameSessionListener listener =
                new FrameSessionListener(number, this::enqueueFrame, () -> sessions.remove(number));
        SandboxSession session = runtime.start(request, listener);
        sessions.put(number, session);
        if (listener.isEnded()) {
            sessions.remove(number);
        }
    }

    private void withSession(long number, Consumer<SandboxSession> action) {
        SandboxSession session = sessions.get(number);
        if (session != null) {
            action.accept(session);
        }
    }

    private void enqueueFrame(Frame frame) {
        sendFrame(frame, false);
    }

    private void sendFrame(Frame frame, boolean now) {
        try {
            if (now) {
                channel.send(frame);
            } else {
                channel.enqueue(frame);
            }
        } catch (IOException serverGone) {
            Runtime.getRuntime().halt(0);
        }
    }

    private void flush() {
        try {
            channel.flush();
        } catch (IOException serverGone) {
            Runtime.getRuntime().halt(0);
        }
    }

    private void sendHeartbeats() {
        for (int round = 0; true; round++) {
            try {
                TimeUnit.MILLISECONDS.sleep(HEARTBEAT_MILLIS);
            } catch (InterruptedException nobodyInterrupts) {
                return;
            }
            List<GuestSession> computing = runtime.computingSessions();
            // Continues for a while after the last work: its remaining effects show only then.
            boolean busy = runtime.sessionCount() > 0 || System.nanoTime() - lastWorkNanos < IDLE_AFTER_NANOS;
            boolean slowly = round % IDLE_HEARTBEAT_FACTOR == 0 && (busy || runtime.isDamaged());
            if (!computing.isEmpty() || slowly) {
                sendHeartbeats(computing);
            }
        }
    }

    private void sendHeartbeats(List<GuestSession> computing) {
        List<Long> numbers =
                computing.stream().map(GuestSession::id).map(Long::valueOf).toList();
        List<Long> allocated =
                computing.stream().map(each -> each.allocatedBytes() >> 20).toList();
        int percent = (int) Math.round(runtime.heapFullness() * 100);
        sendFrame(new Frame.HeartbeatFrame(numbers, allocated, percent, runtime.isDamaged()), true);
    }

    private static void startDaemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
