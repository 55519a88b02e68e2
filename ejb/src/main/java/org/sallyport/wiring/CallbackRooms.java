package org.sallyport.wiring;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.sallyport.callback.Backoff;
import org.sallyport.callback.CallbackFlow;
import org.sallyport.callback.CallbackStore;
import org.sallyport.callback.Callbacks;
import org.sallyport.callback.Signatures;
import org.sallyport.callback.SigningKey;
import org.sallyport.configuration.CallbackSettings;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.connector.http.Posts;
import org.sallyport.execution.ExecutionStore;

/** What tells others that executions have ended. */
final class CallbackRooms {
    private static final Duration LONGEST_WAIT = Duration.ofHours(6);

    private final Configuration configuration;
    private final CallbackStore store;
    private final Signatures signatures;
    private final Posts posts;
    private final int parallel;

    CallbackRooms(
            Configuration configuration,
            Path data,
            CallbackStore store,
            SecureRandom random,
            Threads threads,
            Shutdown shutdown)
            throws IOException {
        this.configuration = configuration;
        this.store = store;
        this.signatures =
                new Signatures(store, SigningKey.of(configuration.get(CallbackSettings.KEY), data, random), random);
        this.parallel = configuration.integer(CallbackSettings.PARALLEL);
        this.posts = shutdown.closing(
                "callbacks' client",
                new Posts(
                        configuration.get(CallbackSettings.HOSTS),
                        configuration.get(CallbackSettings.PRIVATE),
                        parallel,
                        configuration.get(CallbackSettings.TIMEOUT),
                        threads.scheduler()));
    }

    Signatures signatures() {
        return signatures;
    }

    Callbacks callbacks() {
        return new Callbacks(posts, signatures);
    }

    /** Begins to send. */
    CallbackFlow flow(ExecutionStore executions, SecureRandom random, Threads threads, Shutdown shutdown) {
        ExecutorService senders = Executors.newFixedThreadPool(parallel, Threads.named("sallyport-callback"));
        Duration timeout = configuration.get(CallbackSettings.TIMEOUT);
        CallbackFlow flow = new CallbackFlow(
                store,
                executions,
                posts,
                signatures,
                new CallbackFlow.Bounds(
                        parallel,
                        Math.max(1, parallel / 4),
                        Math.max(1, parallel / 2),
                        timeout.multipliedBy(2).plusSeconds(5),
                        configuration.integer(CallbackSettings.RESULT)),
                new Backoff(
                        configuration.get(CallbackSettings.RETRY),
                        LONGEST_WAIT,
                        configuration.integer(CallbackSettings.ATTEMPTS),
                        configuration.get(CallbackSettings.PATIENCE)),
                senders,
                random);
        shutdown.closing("callbacks' senders", senders::shutdown);
        shutdown.closing(
                "callbacks",
                new Repeating(threads, "sallyport-callbacks", flow::look, configuration.get(Settings.RUNNER_SWEEP)));
        return flow;
    }
}
