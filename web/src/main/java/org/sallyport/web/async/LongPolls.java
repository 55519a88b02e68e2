package org.sallyport.web.async;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Long polls: requests that wait until something ends. A long poll holds a connection and polls the store from time to
 * time, but holds no thread. Thread-safe.
 */
@ApplicationScoped
public class LongPolls {
    /** Maximum number of long polls on one node; the maximum per key is a setting. */
    static final int MAX_PER_NODE = 4_000;

    private static final String NODE_KEY = "";

    @Inject
    Configuration configuration;

    private final KeyedCounter counter = new KeyedCounter();

    /**
     * Starts {@code wait} if the limits of node and key permit one more long poll. Returns empty, without calling
     * {@code wait}, if not.
     */
    public <T> Optional<CompletionStage<T>> tryStart(Caller caller, Supplier<CompletionStage<T>> wait) {
        String key = "key " + caller.id();
        if (!counter.tryAcquire(NODE_KEY, MAX_PER_NODE)) {
            return Optional.empty();
        } else if (!counter.tryAcquire(key, configuration.getInt(LimitSettings.MAX_LONG_POLLS))) {
            counter.release(NODE_KEY);
            return Optional.empty();
        }
        boolean begun = false;
        try {
            CompletionStage<T> waiting = wait.get().whenComplete((done, failure) -> release(key));
            begun = true;
            return Optional.of(waiting);
        } finally {
            if (!begun) {
                release(key);
            }
        }
    }

    /** Same as {@link #tryStart}, but throws {@link ProblemException} if a limit is reached. */
    public <T> CompletionStage<T> start(Caller caller, Supplier<CompletionStage<T>> wait) {
        return tryStart(caller, wait).orElseThrow(LongPolls::tooMany);
    }

    private static ProblemException tooMany() {
        return new ProblemException(Problem.of(
                ProblemType.RATE_LIMITED,
                "too many requests wait already (the server's " + LimitSettings.MAX_LONG_POLLS.name() + " for one key, "
                        + MAX_PER_NODE + " for all); ask without waiting, or try again shortly"));
    }

    private void release(String key) {
        counter.release(key);
        counter.release(NODE_KEY);
    }
}
