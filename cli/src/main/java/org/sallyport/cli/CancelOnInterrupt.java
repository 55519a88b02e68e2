package org.sallyport.cli;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.api.ServiceUnreachableException;
import org.sallyport.cli.terminal.Terminal;

/**
 * While it is open, Ctrl-C or a termination signal cancels the execution instead of leaving it running. The command
 * continues until it has shown the end, and the process exits with the matching exit code.
 */
final class CancelOnInterrupt implements AutoCloseable {
    private static final long TIMEOUT_SECONDS = 10;

    private final SallyportApiClient api;
    private final Terminal terminal;
    private final String id;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch endShown = new CountDownLatch(1);
    private final AtomicInteger exitCode = new AtomicInteger(ExitCode.CANCELLED.code());
    private final Thread hook = new Thread(this::onInterrupt, "cancel");

    CancelOnInterrupt(SallyportApiClient api, Terminal terminal, String id) {
        this.api = api;
        this.terminal = terminal;
        this.id = id;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Records that the end was shown, and its exit code. */
    void finished(ExitCode exit) {
        exitCode.set(exit.code());
        endShown.countDown();
    }

    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The hook already runs; it sees that there is nothing left to cancel.
                endShown.countDown();
            }
        }
    }

    private void onInterrupt() {
        if (endShown.getCount() > 0) {
            terminal.printNote("Cancelling " + id + " ...");
            // The response may never arrive if the process ends meanwhile; only the end of the execution matters.
            Thread asking = new Thread(this::requestCancel, "ask to cancel");
            asking.setDaemon(true);
            asking.start();
            try {
                if (!endShown.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                    terminal.printNote("The execution has not ended yet. See: sallyport show " + id);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        // System.exit would return 130 for the signal; callers need the outcome of the execution.
        Runtime.getRuntime().halt(exitCode.get());
    }

    private void requestCancel() {
        try {
            api.cancel(id, Optional.of("the command line was interrupted"));
        } catch (ApiProblemException e) {
            if (e.problem().status() != 409) {
                terminal.printNote("The service refused to cancel: " + e.getMessage());
            }
        } catch (ServiceUnreachableException e) {
            terminal.printNote("The service did not answer the cancel request: " + e.getMessage());
        }
    }
}
