package org.sallyport.sandbox.pool;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Creates daemon threads, which do not keep the process alive. */
final class DaemonThreads {
    private DaemonThreads() {}

    static Thread newThread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    static ScheduledExecutorService newTimerExecutor(String name) {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, work -> newThread(name, work));
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }
}
