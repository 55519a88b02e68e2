package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.sallyport.sandbox.isolation.Isolation;
import org.sallyport.sandbox.isolation.IsolationEnvironment;
import org.sallyport.sandbox.isolation.IsolationFeature;
import org.sallyport.sandbox.isolation.SystemPrograms;
import org.sallyport.sandbox.isolation.WorkerIsolationSpec;
import org.sallyport.sandbox.worker.StartupProbe;

/**
 * The directories, socket and isolation of the workers of one pool.
 *
 * @param files their class files
 * @param runDirectory the pool's own directory, which exists as long as the pool
 * @param socket the socket that workers connect to
 * @param isolation the isolation of the workers
 * @param networkAccess whether workers keep network access despite the isolation
 */
record WorkerEnvironment(
        WorkerFiles files, Path runDirectory, Path socket, Isolation isolation, boolean networkAccess) {
    private static final System.Logger LOG = System.getLogger(WorkerEnvironment.class.getName());
    private static final String TRAVERSABLE = "rwx--x--x";
    private static final String OWNER_ONLY = "rwx------";

    /** Detects the isolation that is available on this machine. The socket {@code socket} must already be listening. */
    static WorkerEnvironment detect(WorkerSettings settings, SystemPrograms programs, Path run, Path socket)
            throws IOException {
        // Safe: its directory restricts access, and a worker must present a token.
        setPermissions(socket, "rw-rw-rw-");
        WorkerEnvironment site = detectWith(
                settings, programs, WorkerFiles.of(settings.preparedDirectory(), settings.directory()), run, socket);
        if (!site.isolation().hasFeature(IsolationFeature.OWN_USER) && isOwnedByRoot(run)) {
            WorkerEnvironment outside = withSharedFiles(settings, programs, site);
            site = outside.isolation().hasFeature(IsolationFeature.OWN_USER) ? outside : site;
            setPermissions(run, site == outside ? TRAVERSABLE : OWNER_ONLY);
        }
        List<String> missing = site.isolation().missingFeatures();
        if (!missing.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "workers run without these isolation features:" + " {0}",
                    String.join(", ", missing));
        }
        return site;
    }

    WorkerIsolationSpec isolationSpec(long number, Path directory, int niceness) {
        return new WorkerIsolationSpec(number, directory, socket, networkAccess, List.of(files.directory()), niceness);
    }

    /** A worker of another user cannot read a directory of the server, so the class files must lie outside of it. */
    private static WorkerEnvironment withSharedFiles(
            WorkerSettings settings, SystemPrograms programs, WorkerEnvironment site) throws IOException {
        setPermissions(site.runDirectory(), TRAVERSABLE);
        return detectWith(
                settings,
                programs,
                WorkerFiles.layOutAndPurge(RunDirectories.openSharedDirectory()),
                site.runDirectory(),
                site.socket());
    }

    private static WorkerEnvironment detectWith(
            WorkerSettings settings, SystemPrograms programs, WorkerFiles files, Path run, Path socket)
            throws IOException {
        JavaCommand java = new JavaCommand(settings, files);
        Path directory = Files.createDirectories(run.resolve("rehearsal"));
        WorkerIsolationSpec cell = new WorkerIsolationSpec(0, directory, socket, false, List.of(files.directory()), 0);
        Isolation isolation = Isolation.detect(
                programs,
                new IsolationEnvironment(
                        isOwnedByRoot(run),
                        Path.of(System.getProperty("java.home")),
                        java.memoryBytes(),
                        cell,
                        java.workerCommand(directory, StartupProbe.class, socket.toString())));
        return new WorkerEnvironment(files, run, socket, isolation, settings.networkAccess());
    }

    private static boolean isOwnedByRoot(Path own) throws IOException {
        return Files.getFileStore(own).supportsFileAttributeView("unix")
                && Files.getAttribute(own, "unix:uid").equals(0);
    }

    private static void setPermissions(Path path, String permissions) throws IOException {
        if (Files.getFileStore(path).supportsFileAttributeView("posix")) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
        }
    }
}
