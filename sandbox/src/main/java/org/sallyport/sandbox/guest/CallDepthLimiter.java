package org.sallyport.sandbox.guest;

import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.instrumentation.EventContext;
import com.oracle.truffle.api.instrumentation.ExecutionEventNode;
import com.oracle.truffle.api.instrumentation.SourceSectionFilter;
import com.oracle.truffle.api.instrumentation.StandardTags;
import com.oracle.truffle.api.instrumentation.TruffleInstrument;
import com.oracle.truffle.api.nodes.Node;
import com.oracle.truffle.api.source.SourceSection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.graalvm.polyglot.Engine;
import org.jspecify.annotations.Nullable;

/**
 * Limits how deep calls are nested on each {@link CallCountingThread}. The call beyond the limit throws a {@code
 * RangeError} that the script can catch, always at the same depth, so a replay reaches it at the same call. The limit
 * is reached before the stack of the thread ends: a real stack overflow could interrupt the engine in a class
 * initializer and break it for all later scripts. One instance serves all contexts of an engine. Thread-safe.
 */
final class CallDepthLimiter extends TruffleInstrument {
    static final String ID = "sallyport-call-depth";

    /** Maximum weight of the open calls: 16,000 small functions, about as many as in Node. */
    static final int MAX_WEIGHT = 32_000;
    /** Further weight for the functions of the prelude, so that they end what they have begun. */
    private static final int PRELUDE_WEIGHT = 2_000;
    /** A thread on which the open calls weighed more than this has written several megabytes of its stack. */
    private static final int DEEP_WEIGHT = 2_000;

    /** Weight of a function of a script or of the prelude whose syntax tree has few levels. */
    private static final int FUNCTION_WEIGHT = 2;

    private static final int SMALL_FUNCTION_LEVELS = 12;
    /**
     * Number of further levels of the syntax tree for a weight of 1. Measured: a level needs at most 360 bytes of the
     * stack, in code that C1 has compiled.
     */
    private static final int LEVELS_PER_WEIGHT = 4;

    private static final int BUILT_IN_WEIGHT = 1;
    /** The engine does not report the body of a generator, which these functions continue, as a call. */
    private static final int RESUME_WEIGHT = 6;

    private static final Set<String> RESUMING_FUNCTIONS = Set.of("next", "return", "throw");

    private static final String JSON_PARSER = "parse";
    /** The message of the engine's parser of JSON texts, which catches stack overflows itself. */
    private static final String JSON_TOO_DEEP = "Cannot parse JSON constructs nested that deep";

    private volatile boolean stackOverflowed;

    /** The engine turns every stack overflow into a {@code RangeError} with the author's stack. */
    private static final class CallDepthExceeded extends StackOverflowError {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /** Adds the weight of one function while the function runs. */
    private static final class CallWeightNode extends ExecutionEventNode {
        private final CallDepthLimiter limiter;
        private final int weight;
        private final int limit;
        private final boolean parsesJson;

        CallWeightNode(CallDepthLimiter limiter, int weight, int limit, boolean parsesJson) {
            this.limiter = limiter;
            this.weight = weight;
            this.limit = limit;
            this.parsesJson = parsesJson;
        }

        @Override
        protected void onEnter(VirtualFrame frame) {
            if (Thread.currentThread() instanceof CallCountingThread thread) {
                int open = thread.addCallWeight(weight);
                if (open > DEEP_WEIGHT) {
                    thread.markDeepStackUsed();
                    if (open > limit) {
                        throw new CallDepthExceeded();
                    }
                }
            }
        }

        /** Also called when a generator or an async function pauses; it is entered again when it continues. */
        @Override
        protected void onReturnValue(VirtualFrame frame, @Nullable Object result) {
            leave();
        }

        @Override
        protected void onReturnExceptional(VirtualFrame frame, Throwable exception) {
            leave();
            if (isStackOverflow(exception)) {
                limiter.reportStackOverflow();
            }
        }

        private void leave() {
            if (Thread.currentThread() instanceof CallCountingThread thread) {
                thread.addCallWeight(-weight);
            }
        }

        /** The engine converts an overflow in the body of a generator before it leaves a function. */
        private boolean isStackOverflow(Throwable exception) {
            Throwable overflow = exception instanceof StackOverflowError ? exception : exception.getCause();
            return overflow instanceof StackOverflowError
                    ? !(overflow instanceof CallDepthExceeded)
                    : parsesJson && String.valueOf(exception.getMessage()).endsWith(JSON_TOO_DEEP);
        }
    }

    /** Limits the contexts of an engine that has none yet. */
    static CallDepthLimiter attachTo(Engine engine) {
        return Objects.requireNonNull(engine.getInstruments().get(ID), ID).lookup(CallDepthLimiter.class);
    }

    /** Returns whether the stack of a thread ended in spite of the limit, so that the engine may be broken. */
    boolean hasStackOverflowed() {
        return stackOverflowed;
    }

    /** Notes that the stack of a thread has ended. */
    void reportStackOverflow() {
        stackOverflowed = true;
    }

    @Override
    protected void onCreate(Env env) {
        env.registerService(this);
        env.getInstrumenter()
                .attachExecutionEventFactory(
                        SourceSectionFilter.newBuilder()
                                .tagIs(StandardTags.RootTag.class)
                                .build(),
                        this::newNode);
    }

    /** Called once for each function, before its first call. */
    private ExecutionEventNode newNode(EventContext function) {
        SourceSection section = function.getInstrumentedSourceSection();
        Node body = function.getInstrumentedNode();
        if (section == null || !section.isAvailable()) {
            String name = lastPart(String.valueOf(body.getRootNode().getName()));
            int weight = RESUMING_FUNCTIONS.contains(name) ? RESUME_WEIGHT : BUILT_IN_WEIGHT;
            return new CallWeightNode(this, weight, MAX_WEIGHT + PRELUDE_WEIGHT, JSON_PARSER.equals(name));
        }
        int deeper = Math.max(0, levels(body) - SMALL_FUNCTION_LEVELS);
        int weight = FUNCTION_WEIGHT + deeper / LEVELS_PER_WEIGHT;
        boolean ofPrelude = section.getSource().isInternal();
        return new CallWeightNode(this, weight, ofPrelude ? MAX_WEIGHT + PRELUDE_WEIGHT : MAX_WEIGHT, false);
    }

    /** Returns the name of a built-in function without that of its object, as in {@code Generator.prototype.next}. */
    private static String lastPart(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** Not recursive, because a long chain of operators is a deep tree. */
    private static int levels(Node root) {
        int levels = 0;
        for (List<Node> level = List.of(root); !level.isEmpty(); levels++) {
            List<Node> next = new ArrayList<>();
            for (Node node : level) {
                node.getChildren().forEach(next::add);
            }
            level = next;
        }
        return levels;
    }
}
