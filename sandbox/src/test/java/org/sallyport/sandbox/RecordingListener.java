package org.sallyport.sandbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A listener that answers tool calls and records the events of a session. Resolves {@code echo} with its arguments, as
 * the service passes replies on to scripts, {@code later} with its arguments after 300 ms, and {@code json} with the
 * named reply of {@code REPLIES}. Rejects {@code fail}, {@code secret} and {@code unknown}. Provides the host services
 * in memory. Leaves calls of tools that it does not know unanswered.
 */
public final class RecordingListener implements SessionListener {
    /** The longest script of a contract runs for half a minute on an idle machine. */
    private static final long WAIT_SECONDS = 300;

    private static final Map<String, String> REPLIES = Map.of(
            "then", "{\"then\":\"x\",\"constructor\":1}",
            "proto", "{\"__proto__\":{\"polluted\":1},\"a\":1}",
            "twice", "{\"a\":1,\"b\":{\"c\":1,\"c\":2}}",
            "bad", "{\"a\":",
            "deep", "[".repeat(5000) + "]".repeat(5000));

    /** A call of {@code later} with this argument is answered only when this number of such calls is open. */
    private static final Pattern ANSWER_BATCH = Pattern.compile("\"of\":(\\d+)");

    private final CompletableFuture<SandboxSession> session = new CompletableFuture<>();
    private final List<Consumer<SandboxSession>> queuedActions = new ArrayList<>();
    private final CompletableFuture<String> url = new CompletableFuture<>();
    private final CompletableFuture<String> profile = new CompletableFuture<>();
    private final CompletableFuture<SessionResult> end = new CompletableFuture<>();
    private final StringBuilder output = new StringBuilder();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<String> progress = new CopyOnWriteArrayList<>();
    private final List<List<BlockedAccess>> blockedAccess = new CopyOnWriteArrayList<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger maxOpenCalls = new AtomicInteger();
    private final List<Runnable> batchedAnswers = new ArrayList<>();
    private final List<String> reservations = new CopyOnWriteArrayList<>();
    /** Completes when the test grants the pending and all later reservations. */
    private final CompletableFuture<Void> reservationsGranted;

    private final InMemoryHostServices host;
    private @Nullable OutputStreamKind lastStream;

    private RecordingListener(InMemoryHostServices host, CompletableFuture<Void> reservationsGranted) {
        this.host = host;
        this.reservationsGranted = reservationsGranted;
    }

    public static RecordingListener start(Sandbox sandbox, SessionRequest request) {
        return start(sandbox, request, new InMemoryHostServices());
    }

    /** Starts a session that shares {@code host} with other sessions. */
    public static RecordingListener start(Sandbox sandbox, SessionRequest request, InMemoryHostServices host) {
        return start(sandbox, request, new RecordingListener(host, CompletableFuture.completedFuture(null)));
    }

    /** Starts a session whose reservations wait for {@link #grantReservations}. */
    public static RecordingListener startWithoutReservations(Sandbox sandbox, SessionRequest request) {
        return start(sandbox, request, new RecordingListener(new InMemoryHostServices(), new CompletableFuture<>()));
    }

    private static RecordingListener start(Sandbox sandbox, SessionRequest request, RecordingListener listener) {
        listener.started(sandbox.start(request, listener));
        return listener;
    }

    public SandboxSession session() {
        return session.join();
    }

    private void started(SandboxSession live) {
        synchronized (queuedActions) {
            session.complete(live);
            queuedActions.forEach(action -> action.accept(live));
        }
    }

    /**
     * Runs actions in order. Actions that are requested before the sandbox has returned the session run as soon as it
     * has.
     */
    private void whenStarted(Consumer<SandboxSession> action) {
        synchronized (queuedActions) {
            if (session.isDone()) {
                action.accept(session.join());
            } else {
                queuedActions.add(action);
            }
        }
    }

    public String output() {
        synchronized (output) {
            return output.toString();
        }
    }

    public boolean isEnded() {
        return end.isDone();
    }

    public String url() throws Exception {
        return url.get(WAIT_SECONDS, TimeUnit.SECONDS);
    }

    public String profile() throws Exception {
        return profile.get(WAIT_SECONDS, TimeUnit.SECONDS);
    }

    public SessionResult end() throws Exception {
        return end.get(WAIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Returns the tool calls in their order, as {@code ordinal backend.tool arguments}. */
    public List<String> calls() {
        return calls;
    }

    /** Returns the reported counts of blocked access, one list for each report. */
    public List<List<BlockedAccess>> blockedAccess() {
        return blockedAccess;
    }

    /** Returns the progress events, as {@code fraction text}. */
    public List<String> progress() {
        return progress;
    }

    /** Returns the maximum number of simultaneously open calls of {@code later}. */
    public int maxOpenCalls() {
        return maxOpenCalls.get();
    }

    @Override
    public void onToolCall(long call, String backend, String tool, String arguments) {
        calls.add(call + " " + backend + "." + tool + " "
                + (arguments.length() > 200 ? arguments.substring(0, 200) : arguments));
        whenStarted(started -> {
            if (backend.equals(HostServices.BACKEND)) {
                host.answer(tool, arguments, answer -> started.resolve(call, answer));
            } else {
                answer(started, call, tool, arguments);
            }
        });
    }

    /** Returns the requested reservations, as {@code ordinal chars}, and {@code result chars} for the result. */
    public List<String> reservations() {
        return reservations;
    }

    /** Grants the pending reservation and all later ones. */
    public void grantReservations() {
        reservationsGranted.complete(null);
    }

    @Override
    public CompletionStage<?> reserveArguments(long call, int chars) {
        reservations.add(call + " " + chars);
        return reservationsGranted;
    }

    @Override
    public CompletionStage<?> reserveResult(int chars) {
        reservations.add("result " + chars);
        return reservationsGranted;
    }

    private static int sum(String arguments) {
        return Pattern.compile("\\d+")
                .matcher(arguments)
                .results()
                .mapToInt(number -> Integer.parseInt(number.group()))
                .sum();
    }

    private void answerTogether(Runnable answer, int count) {
        List<Runnable> all;
        synchronized (batchedAnswers) {
            batchedAnswers.add(answer);
            if (batchedAnswers.size() < count) {
                return;
            }
            all = List.copyOf(batchedAnswers);
            batchedAnswers.clear();
        }
        all.forEach(Runnable::run);
    }

    private void answer(SandboxSession started, long call, String tool, String arguments) {
        switch (tool) {
            case "echo", "my.tool" -> started.resolve(call, ExactNumberEncoder.encode(arguments));
            case "shop.refund" ->
                started.resolve(call, arguments.substring(0, arguments.length() - 1) + ",\"refunded\":true}");
            case "add" -> started.resolve(call, String.valueOf(sum(arguments)));
            case "json" -> started.resolve(call, REPLIES.getOrDefault(arguments.replaceAll("[^a-z]", ""), "null"));
            case "fail" -> started.reject(call, new GuestError("tool-failed", "it failed", true, "{\"hint\":[1]}"));
            case "secret" -> started.reject(call, new GuestError("not-granted", "not granted", false, null));
            case "unknown" -> started.reject(call, new GuestError("outcome-unknown", "nobody knows", false, null));
            case "later" -> {
                maxOpenCalls.accumulateAndGet(open.incrementAndGet(), Math::max);
                Runnable answer = () -> {
                    open.decrementAndGet();
                    started.resolve(call, arguments);
                };
                Matcher of = ANSWER_BATCH.matcher(arguments);
                if (of.find()) {
                    answerTogether(answer, Integer.parseInt(of.group(1)));
                } else {
                    CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS)
                            .execute(answer);
                }
            }
            default -> {}
        }
    }

    @Override
    public void onOutput(OutputStreamKind stream, String text) {
        synchronized (output) {
            if (stream != lastStream) {
                output.append(stream).append(':');
                lastStream = stream;
            }
            output.append(text);
        }
    }

    @Override
    public void onOutputTruncated(OutputStreamKind stream) {
        synchronized (output) {
            output.append("[cut ").append(stream).append(']');
        }
    }

    @Override
    public void onProgress(double fraction, String text) {
        progress.add(fraction + " " + text);
    }

    @Override
    public void onBlockedAccess(List<BlockedAccess> counts) {
        blockedAccess.add(counts);
    }

    @Override
    public void onDebuggerReady(String address) {
        url.complete(address);
    }

    @Override
    public void onProfile(String text) {
        profile.complete(text);
    }

    @Override
    public void onEnded(SessionResult ended) {
        end.complete(ended);
    }
}
