package org.sallyport.sandbox.worker;

import java.util.function.Consumer;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.protocol.Frame;

/** Turns what a session does into frames. */
final class TellingListener implements SessionListener {
    private final long session;
    private final Consumer<Frame> wire;
    private final Runnable forget;
    private volatile boolean ended;

    /** @param forget run when the session is over */
    TellingListener(long session, Consumer<Frame> wire, Runnable forget) {
        this.session = session;
        this.wire = wire;
        this.forget = forget;
    }

    boolean isEnded() {
        return ended;
    }

    @Override
    public void called(long call, String backend, String tool, String arguments) {
        wire.accept(new Frame.Call(session, call, backend, tool, arguments));
    }

    @Override
    public void printed(OutputStreamKind stream, String text) {
        wire.accept(new Frame.Output(session, stream, text));
    }

    @Override
    public void truncated(OutputStreamKind stream) {
        wire.accept(new Frame.Truncated(session, stream));
    }

    @Override
    public void progressed(double fraction, String text) {
        wire.accept(new Frame.Progress(session, (int) Math.round(fraction * 1_000), text));
    }

    @Override
    public void recorded(String log) {
        wire.accept(new Frame.Recorded(session, log));
    }

    @Override
    public void inspectable(String url) {
        wire.accept(new Frame.Inspectable(session, url));
    }

    @Override
    public void profiled(String profile) {
        wire.accept(new Frame.Profiled(session, profile));
    }

    @Override
    public void ended(SessionEnd end) {
        ended = true;
        forget.run();
        wire.accept(new Frame.Done(session, end));
    }
}
