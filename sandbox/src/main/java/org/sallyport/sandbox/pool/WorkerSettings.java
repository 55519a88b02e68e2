package org.sallyport.sandbox.pool;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of a worker pool.
 *
 * @param directory where workers' class files are kept between starts
 * @param preparedDirectory where {@link PrepareWorkers} has written class files; used if they match this build and this
 *     Java VM
 * @param heapMegabytes hard limit of a worker's heap
 * @param threadsPerWorker threads of a worker that scripts compute on
 * @param minIdleWorkers workers kept ready without a tenant; if 0, one worker is started at first, to see that workers
 *     can start, and is not replaced
 * @param maxWorkers workers that accept tasks at the same time; as many again may exist that only finish their tasks,
 *     and half as many, at least one, that run one task each which needs its own worker
 * @param maxLiveSessionsPerWorker live sessions of one worker
 * @param maxTotalSessionsPerWorker sessions after which a worker is replaced
 * @param maxWorkerAge age at which a worker is replaced
 * @param sharing which sessions may share a worker
 * @param stopGrace how long a computing session may take to obey a cancel before its worker is killed
 * @param niceness how much lower the CPU priority of workers is than that of the server: 0 to 19, as with the program
 *     nice
 * @param errorFile file for the standard error of workers; discarded when empty
 * @param networkAccess whether workers keep network access of this machine, which a debugger needs to attach
 */
public record WorkerSettings(
        Path directory,
        Optional<Path> preparedDirectory,
        int heapMegabytes,
        int threadsPerWorker,
        int minIdleWorkers,
        int maxWorkers,
        int maxLiveSessionsPerWorker,
        int maxTotalSessionsPerWorker,
        Duration maxWorkerAge,
        WorkerSharing sharing,
        Duration stopGrace,
        int niceness,
        Optional<Path> errorFile,
        boolean networkAccess) {

    public WorkerSettings {
        require(heapMegabytes >= 64, "heapMegabytes must be at least 64");
        require(threadsPerWorker >= 1, "carriers must be at least 1");
        require(minIdleWorkers >= 0, "warmWorkers must not be negative");
        require(
                maxWorkers >= 1 && maxWorkers >= minIdleWorkers,
                "maxWorkers must be at least 1 and at least warmWorkers");
        require(maxLiveSessionsPerWorker >= 1, "sessionsPerWorker must be at least 1");
        require(maxTotalSessionsPerWorker >= 1, "recycleAfterSessions must be at least 1");
        require(
                !stopGrace.isNegative() && stopGrace.compareTo(Duration.ofMillis(1_200)) <= 0,
                "stopGrace must be between 0 and 1200 ms");
        require(niceness >= 0 && niceness <= 19, "niceness must be between 0 and 19");
    }

    /** Returns the default settings for this machine. */
    public static WorkerSettings defaults(Path directory) {
        int processors = Runtime.getRuntime().availableProcessors();
        return new WorkerSettings(
                directory,
                Optional.empty(),
                256,
                Math.min(processors, 2),
                1,
                Math.max(4, processors),
                200,
                20_000,
                Duration.ofMinutes(30),
                WorkerSharing.TENANT,
                Duration.ofMillis(500),
                10,
                Optional.empty(),
                false);
    }

    /**
     * Returns these settings for debugged sessions: each gets its own worker, started on demand, with network access.
     */
    WorkerSettings forDebugging() {
        return new WorkerSettings(
                directory,
                preparedDirectory,
                heapMegabytes,
                threadsPerWorker,
                0,
                maxWorkers,
                1,
                1,
                maxWorkerAge,
                WorkerSharing.NONE,
                stopGrace,
                niceness,
                errorFile,
                true);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
