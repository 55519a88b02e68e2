package org.sallyport.server;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.sallyport.callback.CallbackDispatcher;
import org.sallyport.callback.CallbackRetryPolicy;
import org.sallyport.callback.CallbackSigner;
import org.sallyport.callback.CallbackSigningKey;
import org.sallyport.callback.CallbackStore;
import org.sallyport.callback.CallbackUrlPolicy;
import org.sallyport.configuration.CallbackSettings;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.connector.http.WebhookClient;
import org.sallyport.execution.ExecutionStore;

/** Creates the services that send callbacks. */
final class CallbackModule {
    private static final Duration MAX_RETRY_DELAY = Duration.ofHours(6);

    private final Configuration configuration;
    private final CallbackStore store;
    private final CallbackSigner signer;
    private final WebhookClient webhookClient;
    private final int maxConcurrent;

    CallbackModule(
            Configuration configuration,
            Path data,
            CallbackStore store,
            SecureRandom random,
            ServerExecutors threads,
            ShutdownSequence shutdown)
            throws IOException {
        this.configuration = configuration;
        this.store = store;
        this.signer = new CallbackSigner(
                store, CallbackSigningKey.of(configuration.get(CallbackSettings.SIGNING_KEY), data, random), random);
        this.maxConcurrent = configuration.getInt(CallbackSettings.MAX_CONCURRENT);
        this.webhookClient = shutdown.register(
                "callbacks' client",
                new WebhookClient(
                        configuration.get(CallbackSettings.ALLOWED_HOSTS),
                        configuration.get(CallbackSettings.ALLOW_PRIVATE_ADDRESSES),
                        maxConcurrent,
                        configuration.get(CallbackSettings.ATTEMPT_TIMEOUT),
                        threads.scheduler()));
    }

    CallbackSigner signer() {
        return signer;
    }

    CallbackUrlPolicy urlPolicy() {
        return new CallbackUrlPolicy(webhookClient, signer);
    }

    /** Starts sending callbacks. */
    CallbackDispatcher startDispatcher(
            ExecutionStore executions, SecureRandom random, ServerExecutors threads, ShutdownSequence shutdown) {
        ExecutorService senders =
                Executors.newFixedThreadPool(maxConcurrent, ServerExecutors.threadFactory("sallyport-callback"));
        Duration timeout = configuration.get(CallbackSettings.ATTEMPT_TIMEOUT);
        CallbackDispatcher flow = new CallbackDispatcher(
                store,
                executions,
                webhookClient,
                signer,
                new CallbackDispatcher.CallbackLimits(
                        maxConcurrent,
                        Math.max(1, maxConcurrent / 4),
                        Math.max(1, maxConcurrent / 2),
                        timeout.multipliedBy(2).plusSeconds(5),
                        configuration.getInt(CallbackSettings.MAX_RESULT_BYTES)),
                new CallbackRetryPolicy(
                        configuration.get(CallbackSettings.INITIAL_RETRY_DELAY),
                        MAX_RETRY_DELAY,
                        configuration.getInt(CallbackSettings.MAX_ATTEMPTS),
                        configuration.get(CallbackSettings.GIVE_UP_AFTER)),
                senders,
                random);
        shutdown.register("callbacks' senders", senders::shutdown);
        shutdown.register(
                "callbacks",
                new PeriodicTask(
                        threads, "sallyport-callbacks", flow::poll, configuration.get(Settings.RUNNER_SWEEP_INTERVAL)));
        return flow;
    }
}
