package org.sallyport.sandbox.worker;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.guest.GuestRuntime;
import org.sallyport.sandbox.guest.GuestSession;
import org.sallyport.sandbox.guest.GuestSettings;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.FrameChannel;

/** Does what the server says and tells it what sessions do, until the socket ends. */
final class WorkerConnection {
    private static final long BEAT_MILLIS = 50;
    /** While nothing computes. */
    private static final int SLOWER = 4;

    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final FrameChannel channel;
    private final GuestRuntime runtime;
    private final Map<Long, SandboxSession> sessions = new ConcurrentHashMap<>();
    private final Map<Long, Toolbox> menus = new ConcurrentHashMap<>();
    private volatile long workNanos = System.nanoTime();

    WorkerConnection(FrameChannel channel, GuestSettings settings) {
        this.channel = channel;
        runtime = new GuestRuntime(settings, this::flush);
    }

    /** Runs a first script, which takes longest; the channel need not be connected yet. */
    void warmUp() {
        Training.warmUp(runtime);
    }

    void serve(String token) throws IOException {
        channel.send(new Frame.Hello(Frame.VERSION, token));
        background("sallyport-warm-up", runtime::warmUp);
        background("sallyport-heartbeat", this::beat);
        while (true) {
            if (!(channel.receive() instanceof Frame.ToWorker frame)) {
                return;
            }
            take(frame);
        }
    }

    private void take(Frame.ToWorker frame) {
        workNanos = System.nanoTime();
        if (frame instanceof Frame.Execute execute) {
            execute(execute);
        } else if (frame instanceof Frame.Resolve resolve) {
            with(resolve.session(), session -> session.resolve(resolve.call(), resolve.result()));
        } else if (frame instanceof Frame.Reject reject) {
            with(reject.session(), session -> session.reject(reject.call(), reject.error()));
        } else if (frame instanceof Frame.Postpone postpone) {
            with(postpone.session(), session -> session.postpone(postpone.call()));
        } else if (frame instanceof Frame.Park park) {
            with(park.session(), session -> session.park(park.millis()));
        } else if (frame instanceof Frame.Cancel cancel) {
            with(cancel.session(), SandboxSession::cancel);
        } else if (frame instanceof Frame.Menu menu) {
            menus.put(menu.menu(), menu.toolbox());
        } else if (frame instanceof Frame.Check check) {
            var unused = runtime.check(check.script())
                    .thenAccept(verdict -> say(new Frame.Checked(check.check(), verdict), true));
        }
    }

    private void execute(Frame.Execute execute) {
        long number = execute.session();
        SessionRequest request = new SessionRequest(
                Long.toString(number),
                "",
                execute.script(),
                execute.args(),
                execute.context(),
                execute.limits(),
                menus.getOrDefault(execute.menu(), Toolbox.EMPTY),
                execute.env(),
                execute.debug(),
                execute.past(),
                execute.parkMillis());
        // The session may end before start returns: forget() then runs first.
        TellingListener listener = new TellingListener(number, this::put, () -> sessions.remove(number));
        SandboxSession session = runtime.start(request, listener);
        sessions.put(number, session);
        if (listener.isEnded()) {
            sessions.remove(number);
        }
    }

    private void with(long number, Consumer<SandboxSession> action) {
        SandboxSession session = sessions.get(number);
        if (session != null) {
            action.accept(session);
        }
    }

    private void put(Frame frame) {
        say(frame, false);
    }

    private void say(Frame frame, boolean now) {
        try {
            if (now) {
                channel.send(frame);
            } else {
                channel.put(frame);
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

    private void beat() {
        for (int round = 0; true; round++) {
            try {
                TimeUnit.MILLISECONDS.sleep(BEAT_MILLIS);
            } catch (InterruptedException nobodyInterrupts) {
                return;
            }
            List<GuestSession> computing = runtime.computing();
            // For a while after the last work: what is left of it shows only then.
            boolean busy = runtime.sessionCount() > 0 || System.nanoTime() - workNanos < REST_NANOS;
            boolean slowly = round % SLOWER == 0 && (busy || runtime.isDamaged());
            if (!computing.isEmpty() || slowly) {
                beat(computing);
            }
        }
    }

    private void beat(List<GuestSession> computing) {
        List<Long> numbers =
                computing.stream().map(GuestSession::id).map(Long::valueOf).toList();
        List<Long> allocated =
                computing.stream().map(each -> each.allocatedBytes() >> 20).toList();
        int percent = (int) Math.round(runtime.heapFullness() * 100);
        say(new Frame.Heartbeat(numbers, allocated, percent, runtime.isDamaged()), true);
    }

    private static void background(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
