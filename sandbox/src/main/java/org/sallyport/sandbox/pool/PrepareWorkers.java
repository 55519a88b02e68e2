package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Main class of the build: lays out the class files of workers and writes their CDS archive, so that a server need not
 * do it at its first start.
 */
public final class PrepareWorkers {
    private PrepareWorkers() {}

    /**
     * Prepares the class files of the class path of this process for its Java VM. Files of earlier builds stay, because
     * a running server may still start workers from them. If the Java VM writes no archive, the server lays out its own
     * files.
     *
     * @param arguments the directory, which {@link WorkerSettings#preparedDirectory} names later
     * @throws IOException if the files cannot be written
     */
    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]);
        WorkerFiles files = WorkerFiles.layOutIfMissing(root);
        JavaCommand java = new JavaCommand(WorkerSettings.defaults(root), files);
        Path temporary = Files.createTempDirectory("sallyport-prepare-");
        try (CdsArchiveBuilder training = CdsArchiveBuilder.withNormalPriority(java, ProcessBuilder.Redirect.INHERIT)) {
            training.buildIfMissing(temporary.resolve("training"));
        } finally {
            RunDirectories.deleteRecursively(temporary);
        }
        if (Files.exists(files.archive())) {
            files.seal();
        } else {
            System.err.println("This Java VM has written no class archive for workers. Servers train their own.");
        }
    }
}
