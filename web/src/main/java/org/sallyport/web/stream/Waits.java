package org.sallyport.web.stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.sallyport.access.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Requests that wait for something to end: no thread each, but a connection and a look now and then. Thread-safe. */
@ApplicationScoped
public class Waits {
    /** As many as one node may well keep; what one key may have is a setting. */
    static final int OF_NODE = 4_000;

    private static final String NODE = "";

    @Inject
    Configuration configuration;

    private final Quota quota = new Quota();

    /** Waits as {@code wait} does if one more may; empty, and nothing is done, when not. */
    public <T> Optional<CompletionStage<T>> tryToWait(Caller caller, Supplier<CompletionStage<T>> wait) {
        String key = "key " + caller.keyId();
        if (!quota.take(NODE, OF_NODE)) {
            return Optional.empty();
        } else if (!quota.take(key, configuration.integer(LimitSettings.WAITS))) {
            quota.giveBack(NODE);
            return Optional.empty();
        }
        boolean begun = false;
        try {
            CompletionStage<T> waiting = wait.get().whenComplete((done, failure) -> giveBack(key));
            begun = true;
            return Optional.of(waiting);
        } finally {
            if (!begun) {
                giveBack(key);
            }
        }
    }

    /** The same; {@link ProblemException} when no more may. */
    public <T> CompletionStage<T> wait(Caller caller, Supplier<CompletionStage<T>> wait) {
        return tryToWait(caller, wait).orElseThrow(Waits::tooMany);
    }

    private static ProblemException tooMany() {
        return new ProblemException(Problem.of(
                ProblemType.RATE_LIMITED,
                "too many requests wait already (the server's " + LimitSettings.WAITS.name() + " for one key, "
                        + OF_NODE + " for all); ask without waiting, or again shortly"));
    }

    private void giveBack(String key) {
        quota.giveBack(key);
        quota.giveBack(NODE);
    }
}
