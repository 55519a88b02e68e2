package org.sallyport.sandbox.guest;

import com.oracle.truffle.api.ContextThreadLocal;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.instrumentation.EventContext;
import com.oracle.truffle.api.instrumentation.ExecutionEventNode;
import com.oracle.truffle.api.instrumentation.SourceSectionFilter;
import com.oracle.truffle.api.instrumentation.StandardTags;
import com.oracle.truffle.api.instrumentation.TruffleInstrument;
import com.oracle.truffle.api.source.SourceSection;
import java.util.Objects;
import java.util.Set;
import org.graalvm.polyglot.Engine;
import org.jspecify.annotations.Nullable;

/**
 * Limits how deep calls are nested. The call beyond the limit throws a {@code RangeError} that the script can catch,
 * always at the same depth, so a replay reaches it at the same call. The limit is reached long before the stack of the
 * thread ends: a real stack overflow could interrupt the engine in a class initializer and break it for all later
 * scripts. One instance serves all contexts of an engine. Thread-safe.
 */
final class CallDepthLimiter extends TruffleInstrument {
    static final String ID = "sallyport-call-depth";

    /** Maximum weight of the active calls: 16,000 small functions, about as many as in Node. */
    static final int MAX_WEIGHT = 32_000;
    /** Further weight for the functions of the prelude, so that they end what they have begun. */
    private static final int PRELUDE_WEIGHT = 2_000;

    private static final int FUNCTION_WEIGHT = 2;
    private static final int BUILT_IN_WEIGHT = 1;
    /** The engine does not report the body of a generator, which these functions continue, as a call. */
    private static final int RESUME_WEIGHT = 4;

    private static final Set<String> RESUMING_FUNCTIONS = Set.of("next", "return", "throw");

    private final ContextThreadLocal<ActiveCalls> activeCalls =
            locals.createContextThreadLocal((context, thread) -> new ActiveCalls());
    private volatile boolean stackOverflowed;

    private static final class ActiveCalls {
        private int weight;
    }

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

        CallWeightNode(CallDepthLimiter limiter, int weight, int limit) {
            this.limiter = limiter;
            this.weight = weight;
            this.limit = limit;
        }

        @Override
        protected void onEnter(VirtualFrame frame) {
            ActiveCalls calls = limiter.activeCalls.get();
            calls.weight += weight;
            if (calls.weight > limit) {
                throw new CallDepthExceeded();
            }
        }

        /** Also called when a generator or an async function pauses; it is entered again when it continues. */
        @Override
        protected void onReturnValue(VirtualFrame frame, @Nullable Object result) {
            limiter.activeCalls.get().weight -= weight;
        }

        @Override
        protected void onReturnExceptional(VirtualFrame frame, Throwable exception) {
            limiter.activeCalls.get().weight -= weight;
            if (exception instanceof StackOverflowError && !(exception instanceof CallDepthExceeded)) {
                limiter.stackOverflowed = true;
            }
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

    private ExecutionEventNode newNode(EventContext function) {
        SourceSection section = function.getInstrumentedSourceSection();
        boolean builtIn = section == null || !section.isAvailable();
        boolean ofScript = !builtIn && !section.getSource().isInternal();
        String name = String.valueOf(function.getInstrumentedNode().getRootNode().getName());
        int weight = RESUMING_FUNCTIONS.contains(name) ? RESUME_WEIGHT : BUILT_IN_WEIGHT;
        return new CallWeightNode(
                this, builtIn ? weight : FUNCTION_WEIGHT, ofScript ? MAX_WEIGHT : MAX_WEIGHT + PRELUDE_WEIGHT);
    }
}
