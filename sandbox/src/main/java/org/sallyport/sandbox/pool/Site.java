package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.sallyport.sandbox.isolation.Cell;
import org.sallyport.sandbox.isolation.Isolation;
import org.sallyport.sandbox.isolation.Means;
import org.sallyport.sandbox.isolation.Programs;
import org.sallyport.sandbox.isolation.Surroundings;
import org.sallyport.sandbox.worker.Rehearsal;

/**
 * Where workers of one pool live.
 *
 * @param files their class files
 * @param run the pool's own directory, for as long as the pool lives
 * @param door the socket they come to
 * @param isolation what keeps them apart
 * @param network whether they keep the network all the same
 */
record Site(WorkerFiles files, Path run, Path door, Isolation isolation, boolean network) {
    private static final System.Logger LOG = System.getLogger(Site.class.getName());
    private static final String PASSABLE = "rwx--x--x";
    private static final String CLOSED = "rwx------";

    /** Finds out how workers can be kept apart here, with a socket that listens already. */
    static Site find(WorkerSettings settings, Programs programs, Path run, Path door) throws IOException {
        // Whoever cannot enter its directory cannot come to it, and a token is asked for.
        permit(door, "rw-rw-rw-");
        Site site = detected(settings, programs, WorkerFiles.of(settings.prepared(), settings.directory()), run, door);
        if (!site.isolation().has(Means.OWN_USER) && root(run)) {
            Site outside = outside(settings, programs, site);
            site = outside.isolation().has(Means.OWN_USER) ? outside : site;
            permit(run, site == outside ? PASSABLE : CLOSED);
        }
        List<String> missing = site.isolation().missing();
        if (!missing.isEmpty()) {
            LOG.log(System.Logger.Level.WARNING, "workers run without {0}", String.join(", ", missing));
        }
        return site;
    }

    Cell cell(long number, Path directory) {
        return new Cell(number, directory, door, network, List.of(files.directory()));
    }

    /** Another user reads nothing in a directory of the server alone: the class files must lie outside of it. */
    private static Site outside(WorkerSettings settings, Programs programs, Site site) throws IOException {
        permit(site.run(), PASSABLE);
        return detected(settings, programs, WorkerFiles.under(Directories.forAllToRead()), site.run(), site.door());
    }

    private static Site detected(WorkerSettings settings, Programs programs, WorkerFiles files, Path run, Path door)
            throws IOException {
        JavaCommand java = new JavaCommand(settings, files);
        Path directory = Files.createDirectories(run.resolve("rehearsal"));
        Cell cell = new Cell(0, directory, door, false, List.of(files.directory()));
        Isolation isolation = Isolation.detect(
                programs,
                new Surroundings(
                        root(run),
                        Path.of(System.getProperty("java.home")),
                        java.memoryBytes(),
                        cell,
                        java.worker(directory, Rehearsal.class, door.toString())));
        return new Site(files, run, door, isolation, settings.network());
    }

    private static boolean root(Path own) throws IOException {
        return Files.getFileStore(own).supportsFileAttributeView("unix")
                && Files.getAttribute(own, "unix:uid").equals(0);
    }

    private static void permit(Path path, String permissions) throws IOException {
        if (Files.getFileStore(path).supportsFileAttributeView("posix")) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
        }
    }
}
