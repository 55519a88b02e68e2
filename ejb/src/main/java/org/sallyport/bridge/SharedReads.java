package org.sallyport.bridge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.secret.RedactedResult;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolReply;
import org.sallyport.tool.ToolResult;

/**
 * Sends calls that others of their batch make as well once: whoever asks the same meanwhile, or after it, hears the same answer. A call that is not
 * answered well is nobody's but its own: the others are sent then, each by itself; when it was only cancelled, the next of them for all. Keeps what it heard in this process, so much and so long that
 * it need not be asked for again at once, and no longer than the batch lives. Calls that are sent without a {@link SharedQuestion} pay nothing.
 * Thread-safe.
 */
public final class SharedReads implements ToolBridge {
    private static final Logger LOG = System.getLogger(SharedReads.class.getName());
    /** Of each answer, besides its text. */
    private static final int OVERHEAD = 512;
    /** What is larger than this part of all is given to those who wait, and not kept. */
    private static final int LARGEST_PART = 8;
    /** A batch that has asked for so long nothing may be over. */
    private static final Duration QUIET = Duration.ofSeconds(5);

    /** Never sent. */
    private static final ToolReply CANCELLED =
            new ToolReply(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled"), 0, 0, 0);

    private final ToolBridge tools;
    private final Executor executor;
    private final InstantSource clock;
    private final Function<String, Redaction> redactions;
    private final long mostBytes;
    private final Duration mostAge;
    private final Map<SharedQuestion, List<Waiting>> asked = new HashMap<>();
    private final Map<BatchId, Heard> heard = new HashMap<>();
    private final Map<CallId, Waiting> waiting = new ConcurrentHashMap<>();
    private long bytes;

    /**
     * @param executor tells those who wait, one by one
     * @param redactions what must not be seen by a tenant
     * @param mostBytes how much is kept in all
     * @param mostAge how long an answer is given to others
     */
    public SharedReads(
            ToolBridge tools,
            Executor executor,
            InstantSource clock,
            Function<String, Redaction> redactions,
            long mostBytes,
            Duration mostAge) {
        this.tools = tools;
        this.executor = executor;
        this.clock = clock;
        this.redactions = redactions;
        this.mostBytes = mostBytes;
        this.mostAge = mostAge;
    }

    /** A call that waits for what another is answered. Each is itself only: a second one of that id may follow. */
    private static final class Waiting {
        private final ToolCall call;
        /** As long as a call may take, from when it is sent. */
        private final Duration patience;

        private final CompletableFuture<ToolReply> reply = new CompletableFuture<>();
        private volatile boolean sent;

        Waiting(ToolCall call, Instant now) {
            this.call = call;
            this.patience = Duration.between(now, call.deadline());
        }
    }

    /** What a call was answered, and when. */
    private record Answer(CallId of, ToolResult.Success result, Instant at, long bytes) {}

    /** What one batch has heard, the oldest first. */
    private static final class Heard {
        private final Map<SharedQuestion, Answer> answers = new LinkedHashMap<>();
        private long bytes;
        private Instant lookAt = Instant.MIN;
    }

    @Override
    public CompletionStage<ToolReply> send(ToolCall call) {
        return tools.send(call);
    }

    /**
     * As {@link #send(ToolCall)}, unless another asks or has asked {@code question}; then {@link ToolReply#from} names that. Whoever asks has been judged
     * like any other: this knows nothing of grants and rules.
     */
    public CompletionStage<ToolReply> send(SharedQuestion question, ToolCall call) {
        Waiting one = new Waiting(call, clock.instant());
        Answer known;
        synchronized (this) {
            known = known(question);
            if (known == null) {
                List<Waiting> others = asked.get(question);
                if (others != null) {
                    others.add(one);
                    waiting.put(call.id(), one);
                    return one.reply;
                }
                asked.put(question, new ArrayList<>());
            }
        }
        return known == null ? sendFirst(question, call) : CompletableFuture.completedStage(reply(known, call));
    }

    private CompletionStage<ToolReply> sendFirst(SharedQuestion question, ToolCall call) {
        CompletionStage<ToolReply> coming;
        try {
            coming = tools.send(call);
        } catch (RuntimeException e) {
            tell(question, Optional.empty());
            throw e;
        }
        coming.thenAccept(reply -> ended(question, call, reply));
        return coming;
    }

    private void ended(SharedQuestion question, ToolCall call, ToolReply reply) {
        if (reply.result() instanceof ToolResult.Success success) {
            tell(question, Optional.of(answer(call.id(), success)));
        } else if (reply.result() instanceof ToolResult.Failure failure
                && failure.error().code() == ToolErrorCode.CANCELLED) {
            // That says nothing of the tool; and of a batch that is being cancelled, not all are to be sent for it.
            handOn(question);
        } else {
            tell(question, Optional.empty());
        }
    }

    /** The next of those who wait is sent, for all of them. */
    private void handOn(SharedQuestion question) {
        Waiting next = null;
        synchronized (this) {
            List<Waiting> others = asked.get(question);
            while (next == null && others != null && !others.isEmpty()) {
                Waiting one = others.remove(0);
                next = waiting.get(one.call.id()) == one ? one : null;
            }
            if (next == null) {
                asked.remove(question);
            }
        }
        if (next != null) {
            Waiting leader = next;
            run(() -> send(leader, reply -> ended(question, leader.call, reply)));
        }
    }

    private Answer answer(CallId of, ToolResult.Success result) {
        long size = OVERHEAD + result.value().text().getBytes(StandardCharsets.UTF_8).length;
        return new Answer(of, result, clock.instant(), size);
    }

    private void tell(SharedQuestion question, Optional<Answer> answer) {
        List<Waiting> others;
        synchronized (this) {
            others = asked.remove(question);
            answer.ifPresent(good -> keep(question, good));
        }
        if (others != null) {
            others.forEach(one -> tell(one, answer));
        }
    }

    private void tell(Waiting one, Optional<Answer> answer) {
        run(() -> {
            if (answer.isEmpty()) {
                send(one, reply -> {});
            } else if (waiting.remove(one.call.id(), one)) {
                one.reply.complete(reply(answer.get(), one.call));
            }
        });
    }

    private void run(Runnable word) {
        try {
            executor.execute(word);
        } catch (RejectedExecutionException e) {
            word.run(); // The node stops.
        }
    }

    /** Who was cancelled meanwhile is not there any more, and nothing is sent for him. */
    private void send(Waiting one, Consumer<ToolReply> then) {
        CompletionStage<ToolReply> coming;
        CallId id = one.call.id();
        one.sent = true;
        if (waiting.get(id) != one) {
            then.accept(CANCELLED);
            return;
        }
        try {
            // What it waited for may have taken all the time that it was given.
            coming = tools.send(one.call.until(clock.instant().plus(one.patience)));
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "call " + id + " could not be sent", e);
            coming = CompletableFuture.completedStage(ToolReply.local(
                    ToolResult.failure(ToolErrorCode.BACKEND_UNAVAILABLE, "'" + one.call.tool() + "' was not sent")));
        }
        boolean cancelled = !waiting.remove(id, one);
        coming.thenAccept(reply -> {
            one.reply.complete(reply);
            then.accept(reply);
        });
        if (cancelled) {
            // While it was being sent, when there was nothing to withdraw yet.
            tools.cancel(id);
        }
    }

    /** What was found to be a secret since is one for those who come later. */
    private ToolReply reply(Answer answer, ToolCall call) {
        ToolResult clean = RedactedResult.of(answer.result(), redactions.apply(call.tenant()));
        // An earlier run of the same execution may have made it: then it is its own.
        return answer.of().equals(call.id()) ? new ToolReply(clean, 0, 0, 1) : ToolReply.from(answer.of(), clean);
    }

    @Override
    public void cancel(CallId id) {
        Waiting one = waiting.remove(id);
        if (one != null) {
            one.reply.complete(one.sent ? new ToolReply(CANCELLED.result(), 0, 0, 1) : CANCELLED);
        }
        // Also where it waited: an earlier run of its execution may have sent it.
        tools.cancel(id);
    }

    private @Nullable Answer known(SharedQuestion question) {
        Heard of = heard.get(question.batch());
        if (of == null) {
            return null;
        }
        of.lookAt = clock.instant().plus(QUIET);
        Answer answer = of.answers.get(question);
        if (answer != null && isOld(answer)) {
            remove(of, question);
            return null;
        }
        return answer;
    }

    private boolean isOld(Answer answer) {
        return !clock.instant().isBefore(answer.at().plus(mostAge));
    }

    private void keep(SharedQuestion question, Answer answer) {
        if (answer.bytes() > mostBytes / LARGEST_PART) {
            return;
        }
        Heard of = heard.computeIfAbsent(question.batch(), any -> new Heard());
        of.lookAt = clock.instant().plus(QUIET);
        remove(of, question);
        of.answers.put(question, answer);
        of.bytes += answer.bytes();
        bytes += answer.bytes();
        while (bytes > mostBytes) {
            // Who has most gives first: a batch that asks for much drives out its own before that of others.
            Heard largest = heard.values().stream()
                    .max(Comparator.comparingLong(each -> each.bytes))
                    .orElseThrow();
            remove(largest, largest.answers.keySet().iterator().next());
        }
    }

    private void remove(Heard of, SharedQuestion question) {
        Answer gone = of.answers.remove(question);
        if (gone != null) {
            of.bytes -= gone.bytes();
            bytes -= gone.bytes();
        }
    }

    /**
     * Forgets what is old, and all of batches that are over.
     *
     * @param lives whether a batch has executions that have not ended; may wait for the store, and throw its exception: the next look asks again
     */
    public void look(Predicate<BatchId> lives) {
        List<BatchId> quiet = new ArrayList<>();
        synchronized (this) {
            Instant now = clock.instant();
            heard.values().forEach(this::forgetOld);
            heard.values().removeIf(of -> of.answers.isEmpty());
            heard.forEach((batch, of) -> {
                if (!now.isBefore(of.lookAt)) {
                    quiet.add(batch);
                    of.lookAt = now.plus(QUIET);
                }
            });
        }
        try {
            for (BatchId batch : quiet) {
                if (!lives.test(batch)) {
                    forget(batch);
                }
            }
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "nobody can tell which batches are over", e);
        }
    }

    private void forgetOld(Heard of) {
        Iterator<Map.Entry<SharedQuestion, Answer>> oldest =
                of.answers.entrySet().iterator();
        while (oldest.hasNext()) {
            Answer answer = oldest.next().getValue();
            if (!isOld(answer)) {
                return;
            }
            oldest.remove();
            of.bytes -= answer.bytes();
            bytes -= answer.bytes();
        }
    }

    private synchronized void forget(BatchId batch) {
        Heard of = heard.remove(batch);
        if (of != null) {
            bytes -= of.bytes;
        }
    }

    /** How many answers are kept. */
    public synchronized int size() {
        return heard.values().stream().mapToInt(of -> of.answers.size()).sum();
    }
}
