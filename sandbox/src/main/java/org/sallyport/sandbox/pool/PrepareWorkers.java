package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Main class of the build: lays out the class files of workers and writes their archive of classes, so that a server need not do
 * it at its first start.
 */
public final class PrepareWorkers {
    private PrepareWorkers() {}

    /**
     * Prepares the class files of the class path of this process for its Java VM. Files of earlier builds stay: a running server
     * may start workers from them. If the Java VM writes no archive, the server lays out its own files.
     *
     * @param arguments the directory, which {@link WorkerSettings#prepared} names later
     * @throws IOException if the files cannot be written
     */
    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]);
        WorkerFiles files = WorkerFiles.laidOut(root);
        JavaCommand java = new JavaCommand(WorkerSettings.defaults(root), files);
        Path temporary = Files.createTempDirectory("sallyport-prepare-");
        try (ArchiveTraining training = ArchiveTraining.atOnce(java, ProcessBuilder.Redirect.INHERIT)) {
            training.run(temporary.resolve("training"));
        } finally {
            Directories.delete(temporary);
        }
        if (Files.exists(files.archive())) {
            files.seal();
        } else {
            System.err.println("This Java VM has written no class archive for workers. Servers train their own.");
        }
    }
}
