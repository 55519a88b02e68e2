package org.sallyport.connector.external;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.BackendStatus.State;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.Allowance;
import org.sallyport.connector.Backends;
import org.sallyport.connector.LiveBackend;
import org.sallyport.messaging.BadMessageException;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.ConnectorNews;
import org.sallyport.messaging.ConnectorOrder;
import org.sallyport.messaging.RegistrationRefusedException;
import org.sallyport.messaging.ToolRequestMessage;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/**
 * A backend whose connectors are other processes. It is up while one of them is heard of; a call belongs to it alone, under a
 * name that cannot be guessed, and is answered by the first that answers under that name on this backend's own queue.
 * Thread-safe.
 */
final class ExternalBackend implements LiveBackend, ExternalWire.Receiver {
    private static final int CORRELATION_BYTES = 16;
    private static final long LONGEST_LOOK_MILLIS = 1_000;
    private static final Duration ENTER_AGAIN = Duration.ofSeconds(5);

    private final String name;
    private final Duration patience;
    private final Listener listener;
    private final ExternalWire wire;
    private final Entry entry;
    private final Backends.Threads threads;
    private final Clocks clocks;
    private final RandomGenerator random;
    private final Instances instances;
    private final Dropped dropped;
    private final Allowance registrations;
    private final Allowance orders;
    private final Map<String, Open> open = new ConcurrentHashMap<>();
    private final Map<CallId, String> correlations = new ConcurrentHashMap<>();
    private volatile Redaction redaction = Redaction.NOTHING;
    private volatile boolean up;
    private @Nullable ScheduledFuture<?> looks;
    private @Nullable List<ToolDefinition> offered;
    private boolean registered;
    private boolean missed;
    private boolean entered;
    private final long begun;
    private long enterAgain;
    private boolean closed;

    private record Open(Call call, CompletableFuture<ToolResult> result) {}

    /**
     * @param patience how long a connector may be silent
     * @param random names calls; must be cryptographically strong
     */
    ExternalBackend(
            String name,
            Duration patience,
            Listener listener,
            ExternalWire wire,
            Entry entry,
            Backends.Threads threads,
            Clocks clocks,
            RandomGenerator random) {
        this.name = name;
        this.patience = patience;
        this.listener = listener;
        this.wire = wire;
        this.entry = entry;
        this.threads = threads;
        this.clocks = clocks;
        this.random = random;
        this.instances = new Instances(patience, clocks.nanoTime());
        this.dropped = new Dropped(name, clocks.nanoTime());
        this.registrations = new Allowance(10, 1, clocks.nanoTime());
        this.orders = new Allowance(10, 1, clocks.nanoTime());
        this.begun = clocks.nanoTime().getAsLong();
        this.enterAgain = begun;
    }

    @Override
    public synchronized void start() {
        listener.state(State.STARTING, Optional.empty());
        wire.open(this);
        long millis = Math.min(LONGEST_LOOK_MILLIS, Math.max(1, patience.toMillis() / 4));
        looks = threads.scheduler()
                .scheduleWithFixedDelay(() -> threads.executor().execute(this::look), 0, millis, TimeUnit.MILLISECONDS);
    }

    /** Who starts a connector right after its backend was added finds the door open. */
    @Override
    public void prepared() {
        threads.executor().execute(this::look);
    }

    /** Lets connectors in, asks them to say what they offer, and notices when there is none any more. */
    void look() {
        if (!wire.ready() || !enter() || instances.any()) {
            return;
        }
        tell(new ConnectorOrder.Register());
        if (up) {
            down("its connector has not been heard of for " + patience.toMillis() + " ms");
        } else if (waitedEnough()) {
            listener.state(State.DOWN, Optional.of("no connector has registered"));
        }
    }

    private synchronized boolean waitedEnough() {
        boolean enough = !registered && !missed && clocks.nanoTime().getAsLong() - begun > patience.toNanos();
        missed |= enough; // once is enough to say so
        return enough;
    }

    private synchronized boolean enter() {
        long now = clocks.nanoTime().getAsLong();
        if (closed || entered || now - enterAgain < 0) {
            return !closed && entered;
        }
        try {
            redaction = entry.open();
            entered = true;
            return true;
        } catch (RuntimeException e) {
            enterAgain = now + ENTER_AGAIN.toNanos();
            listener.state(State.DOWN, Optional.of(String.valueOf(e.getMessage())));
            return false;
        }
    }

    private boolean tell(ConnectorOrder order) {
        try {
            wire.order(order);
            return true;
        } catch (BrokerUnavailableException e) {
            return false; // the next look says it again, or nobody waits for it
        }
    }

    // ---- What connectors say of themselves

    @Override
    public boolean news(ExternalWire.Body body) {
        try {
            ConnectorNews news = ConnectorNews.decode(body.text());
            if (news instanceof ConnectorNews.Registered one) {
                return register(one);
            } else if (news instanceof ConnectorNews.Alive alive) {
                return alive(alive);
            } else {
                instances.left(news.instance());
                if (up && !instances.any()) {
                    down("its connector has left");
                }
                return true;
            }
        } catch (RegistrationRefusedException e) {
            return refuse(e.instance(), String.valueOf(e.getMessage()));
        } catch (BadMessageException e) {
            dropped.add("it says nothing that the contract has");
            return false;
        }
    }

    private boolean alive(ConnectorNews.Alive alive) {
        if (instances.alive(alive.instance(), alive.revision())) {
            return true;
        }
        return orders.take() && tell(new ConnectorOrder.Register());
    }

    private boolean register(ConnectorNews.Registered one) {
        if (!registrations.take()) {
            dropped.add("it registers too often");
            return false;
        }
        List<ToolDefinition> tools = new ArrayList<>();
        for (ConnectorNews.Tool tool : one.tools()) {
            if (!Catalog.accepts(new ToolSpec(
                    new ToolName(name, tool.name()),
                    tool.description(),
                    tool.inputSchema(),
                    tool.outputSchema(),
                    tool.hints()))) {
                return refuse(
                        one.instance(), "tool '" + tool.name() + "' has a schema that nothing can be checked with");
            }
            tools.add(new ToolDefinition(
                    tool.name(),
                    tool.name(),
                    tool.description(),
                    tool.inputSchema(),
                    tool.outputSchema(),
                    tool.hints()));
        }
        return learn(one, tools);
    }

    /** On the one thread that hears registrations. */
    private boolean learn(ConnectorNews.Registered one, List<ToolDefinition> tools) {
        if (!tools.equals(offered)) {
            try {
                // Without this one's lock: it waits for all backends, which may be closing this one.
                listener.tools(tools);
            } catch (RuntimeException e) {
                // It is not known, so that it is asked again.
                System.getLogger(ExternalBackend.class.getName())
                        .log(Level.WARNING, "the tools of backend {0} could not be stored: {1}", name, e.getMessage());
                return true;
            }
            offered = tools;
        }
        if (!instances.registered(one.instance(), one.revision())) {
            dropped.add("too many of its processes have registered");
            return false;
        }
        synchronized (this) {
            registered = true;
            if (!up && !closed) {
                up = true;
                listener.state(State.READY, Optional.empty());
            }
        }
        return true;
    }

    private boolean refuse(String instance, String reason) {
        dropped.add("a registration with an impossible tool");
        listener.state(up ? State.READY : State.DOWN, Optional.of("a registration was refused: " + reason));
        if (orders.take()) {
            tell(new ConnectorOrder.Refused(instance, reason));
        }
        return false;
    }

    // ---- Calls

    @Override
    public CompletionStage<ToolResult> call(Call call) {
        String correlation = correlation();
        Open one = new Open(call, new CompletableFuture<>());
        open.put(correlation, one);
        correlations.put(call.id(), correlation);
        try {
            wire.call(correlation, request(call), worth(call));
        } catch (BrokerUnavailableException e) {
            end(correlation, unknown(call, "may not have reached its connector: the message broker does not answer"));
        }
        if (!up) {
            // It went down while the call was on its way, and whoever looked then did not see the call.
            threads.executor().execute(() -> giveUp(correlation, "its connector is gone"));
        }
        return one.result();
    }

    private String correlation() {
        byte[] bytes = new byte[CORRELATION_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private ToolRequestMessage request(Call call) {
        return new ToolRequestMessage(
                new ToolCall(
                        call.id(),
                        call.tenant(),
                        new ToolName(name, call.tool()),
                        call.arguments(),
                        call.deadline(),
                        call.trace()),
                clocks.wall().instant());
    }

    private long worth(Call call) {
        return Math.max(
                1, Duration.between(clocks.wall().instant(), call.deadline()).toMillis());
    }

    @Override
    public boolean answered(String correlation, ExternalWire.Body body) {
        Open one = open.get(correlation);
        if (one == null) {
            dropped.add("an answer to no call that waits for one");
            return false;
        }
        try {
            end(correlation, ExternalAnswers.read(body.text()));
        } catch (BadMessageException e) {
            dropped.add("an answer that is none");
            end(correlation, unknown(one.call(), "was answered with something that is no answer: " + e.getMessage()));
        }
        return true;
    }

    @Override
    public boolean lost(String correlation) {
        Open one = open.get(correlation);
        if (one != null) {
            end(correlation, unknown(one.call(), "was with a connector that went away before it answered"));
        }
        return true;
    }

    private void end(String correlation, ToolResult result) {
        Open one = open.remove(correlation);
        if (one != null) {
            correlations.remove(one.call().id(), correlation);
            one.result().complete(result);
        }
    }

    private static ToolResult unknown(Call call, String what) {
        return ToolResult.failure(
                call.repeatable() ? ToolErrorCode.BACKEND_UNAVAILABLE : ToolErrorCode.OUTCOME_UNKNOWN,
                "'" + call.tool() + "' " + what);
    }

    @Override
    public void cancel(CallId call) {
        String correlation = correlations.remove(call);
        if (correlation == null || open.remove(correlation) == null) {
            return;
        }
        threads.executor().execute(() -> {
            if (!wire.takeBack(correlation)) {
                tell(new ConnectorOrder.Withdraw(call));
            }
        });
    }

    private void down(String why) {
        synchronized (this) {
            if (!up) {
                return;
            }
            up = false;
            // The state first: whoever hears of a lost call sees why.
            listener.state(State.DOWN, Optional.of(why));
        }
        List<String> gone = List.copyOf(open.keySet());
        threads.executor().execute(() -> gone.forEach(correlation -> giveUp(correlation, why)));
    }

    /** Ends a call whose connector is gone. One that can be had back was never begun. */
    private void giveUp(String correlation, String why) {
        Open one = open.get(correlation);
        if (one == null) {
            return;
        }
        if (wire.takeBack(correlation)) {
            end(
                    correlation,
                    ToolResult.failure(
                            ToolErrorCode.BACKEND_UNAVAILABLE, "'" + one.call().tool() + "' was not begun: " + why));
        } else {
            end(correlation, unknown(one.call(), "was not answered: " + why));
        }
    }

    @Override
    public long dropped() {
        return dropped.count();
    }

    @Override
    public Redaction redaction() {
        return redaction;
    }

    @Override
    public void close() {
        boolean inside;
        synchronized (this) {
            closed = true;
            up = false;
            inside = entered;
            if (looks != null) {
                looks.cancel(false);
            }
        }
        wire.close();
        if (inside) {
            entry.close();
        }
        List.copyOf(open.keySet()).forEach(correlation -> {
            Open one = open.get(correlation);
            if (one != null) {
                end(correlation, unknown(one.call(), "was not answered: its backend was closed"));
            }
        });
    }
}
