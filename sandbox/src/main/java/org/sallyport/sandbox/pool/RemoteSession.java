package org.sallyport.sandbox.pool;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.Debug;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.OpenRequests;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.Past;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.ProtocolException;

/** A session in a worker, seen from the server: checks all that the worker says of it against what is possible. */
final class RemoteSession implements SandboxSession, Task {
    private static final int MAX_PROGRESS_TEXT = 1_000;
    private static final int MAX_PROFILE = 10_000_000;
    private static final Pattern INSPECTOR = Pattern.compile("ws://127\\.0\\.0\\.1:\\d{4,5}/[0-9a-f]{32}");

    private final WorkerSandbox pool;
    private final SessionRequest request;
    private final SessionListener listener;
    private final AtomicBoolean ended = new AtomicBoolean();

    private volatile @Nullable Worker worker;
    private volatile long number;
    private volatile boolean cancelled;
    private volatile boolean postponed;
    /** From what time of waiting on it may be parked, in milliseconds; at least 1. */
    private volatile long park;

    private volatile long spokenNanos;

    private final OpenRequests requests = new OpenRequests();

    // Of the worker's reader thread alone.
    private boolean isProfiled;
    private long toolCalls;
    private long serviceCalls;
    private int questions;
    private long recordedChars;
    private final Map<OutputStreamKind, Integer> printed = new EnumMap<>(OutputStreamKind.class);
    private final Set<OutputStreamKind> truncated = EnumSet.noneOf(OutputStreamKind.class);

    RemoteSession(WorkerSandbox pool, SessionRequest request, SessionListener listener) {
        this.pool = pool;
        this.request = request;
        this.park = Math.max(1, request.parkMillis());
        this.listener = listener;
        recordedChars = request.past().log().length();
    }

    SessionRequest request() {
        return request;
    }

    @Override
    public String tenant() {
        return request.tenant();
    }

    @Override
    public boolean isOver() {
        return ended.get();
    }

    /** Whether something was said to it that it may be computing on. */
    boolean spokenSince(long nanos) {
        return spokenNanos - nanos >= 0;
    }

    boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void resolve(long call, String result) {
        requests.answered(call);
        say(new Frame.Resolve(number, call, result));
    }

    @Override
    public void reject(long call, GuestError error) {
        requests.answered(call);
        say(new Frame.Reject(number, call, error));
    }

    @Override
    public void postpone(long call) {
        postponed = true;
        say(new Frame.Postpone(number, call));
    }

    @Override
    public void park(long millis) {
        park = Math.min(park, millis);
        say(new Frame.Park(number, millis));
    }

    @Override
    public void cancel() {
        if (ended.get() || cancelled) {
            return;
        }
        cancelled = true;
        pool.watchCancel(this);
        say(new Frame.Cancel(number));
    }

    @Override
    public void runOn(Worker chosen, long given) {
        number = given;
        worker = chosen;
        spokenNanos = System.nanoTime();
        chosen.execute(this, given);
        if (cancelled) {
            say(new Frame.Cancel(given));
        }
        // What was said before it had a worker was not heard.
        long soon = park;
        if (soon < request.parkMillis()) {
            say(new Frame.Park(given, soon));
        }
    }

    /** Its number in the worker. */
    long number() {
        return number;
    }

    /** The worker it runs in, or null while it waits for one. */
    @Nullable Worker worker() {
        return worker;
    }

    @Override
    public void lost(SessionEnd end) {
        end(cancelled ? new SessionEnd.Cancelled() : end);
    }

    void called(Frame.Call call) throws ProtocolException {
        SessionLimits limits = request.limits();
        boolean service = call.backend().equals(HostServices.BACKEND);
        require(call.call() == toolCalls + serviceCalls + 1);
        if (service) {
            require(++serviceCalls <= HostServices.MAX_CALLS);
            require(!call.tool().equals(HostServices.APPROVAL_REQUEST) || ++questions <= HostServices.MAX_QUESTIONS);
            require(call.arguments().length() <= HostServices.argumentChars(call.tool(), limits));
            require(requests.add(call.call(), call.arguments().length()));
        } else {
            require(++toolCalls <= limits.toolCalls());
            require(call.arguments().length() <= limits.argumentChars());
        }
        listener.called(
                call.call(),
                Words.cut(call.backend(), Words.NAME),
                Words.cut(call.tool(), Words.NAME),
                call.arguments());
    }

    void printed(Frame.Output output) throws ProtocolException {
        require(!output.text().isEmpty());
        int total = printed.merge(output.stream(), output.text().length(), Math::addExact);
        require(total <= request.limits().outputChars() && !truncated.contains(output.stream()));
        listener.printed(output.stream(), output.text());
    }

    void truncated(OutputStreamKind stream) throws ProtocolException {
        require(truncated.add(stream));
        listener.truncated(stream);
    }

    void progressed(Frame.Progress progress) throws ProtocolException {
        require(progress.permille() <= 1_000 && progress.text().length() <= MAX_PROGRESS_TEXT);
        listener.progressed(progress.permille() / 1_000.0, progress.text());
    }

    void recorded(String log) throws ProtocolException {
        require(!log.isEmpty());
        recordedChars += log.length();
        require(recordedChars <= Past.MAX_LOG);
        listener.recorded(log);
    }

    void inspectable(Frame.Inspectable inspectable) throws ProtocolException {
        require(request.debug() == Debug.INSPECT || request.debug() == Debug.INSPECT_BREAK);
        require(INSPECTOR.matcher(inspectable.url()).matches());
        listener.inspectable(inspectable.url());
    }

    void profiled(Frame.Profiled profiled) throws ProtocolException {
        require(request.debug() == Debug.PROFILE && !isProfiled);
        require(profiled.profile().length() <= MAX_PROFILE);
        isProfiled = true;
        listener.profiled(profiled.profile());
    }

    void done(SessionEnd end) throws ProtocolException {
        if (end instanceof SessionEnd.Returned returned) {
            require(returned.result().length() <= request.limits().resultChars());
        }
        if (end instanceof SessionEnd.Parked parked) {
            require(request.parkMillis() > 0 && (parked.millis() >= park || parked.millis() == 0 && postponed));
        }
        require(cancelled || !(end instanceof SessionEnd.Cancelled));
        end(Words.bounded(end));
    }

    private void end(SessionEnd end) {
        if (ended.compareAndSet(false, true)) {
            listener.ended(end);
        }
    }

    private void say(Frame.ToWorker frame) {
        Worker present = worker;
        if (present != null && !ended.get()) {
            spokenNanos = System.nanoTime();
            present.send(frame);
        }
    }

    private static void require(boolean possible) throws ProtocolException {
        if (!possible) {
            throw new ProtocolException("impossible frame");
        }
    }
}
