package org.sallyport.sandbox.pool;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How workers are kept.
 *
 * @param directory where workers' class files are kept between starts
 * @param preparedDirectory where {@link PrepareWorkers} has put them: taken from there, if they are of this build and this Java VM
 * @param heapMegabytes hard limit of a worker's heap
 * @param threadsPerWorker threads of a worker that scripts compute on
 * @param minIdleWorkers workers kept ready without a tenant
 * @param maxWorkers workers that take tasks at one time; of those that only end what they have, as many again
 * @param maxLiveSessionsPerWorker live sessions of one worker
 * @param maxTotalSessionsPerWorker sessions after which a worker is replaced
 * @param maxWorkerAge age at which a worker is replaced
 * @param sharing whose sessions may run in one worker
 * @param stopGrace how long a session may take to obey a cancel before its worker is killed
 * @param errorFile file that takes what workers write to their standard error; nothing is kept without one
 * @param networkAccess whether workers keep the network of this machine: only so can a debugger come to them
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
    }

    /** The settings that nothing speaks against. */
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
                Optional.empty(),
                false);
    }

    /** The same for sessions under a debugger: each has a worker of its own, made when it is needed, with the network. */
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
                errorFile,
                true);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
