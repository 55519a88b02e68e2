package org.sallyport.sandbox.pool;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Threads that keep no process alive. */
final class Threads {
    private Threads() {}

    static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    static ScheduledExecutorService clock(String name) {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, work -> daemon(name, work));
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }
}
