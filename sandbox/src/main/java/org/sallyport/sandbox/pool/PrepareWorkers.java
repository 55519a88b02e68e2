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
     * Prepares the class files of the class path of this process for its Java VM.
     *
     * @param arguments the directory, which {@link WorkerSettings#prepared} names later
     * @throws IOException if the files cannot be written, or if the archive was not
     */
    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]);
        WorkerFiles files = WorkerFiles.under(root);
        JavaCommand java = new JavaCommand(WorkerSettings.defaults(root), files);
        Path temporary = Files.createTempDirectory("sallyport-prepare-");
        try (ArchiveTraining training = ArchiveTraining.atOnce(java, ProcessBuilder.Redirect.INHERIT)) {
            training.run(temporary.resolve("training"));
        } finally {
            Directories.delete(temporary);
        }
        if (!Files.exists(files.archive())) {
            throw new IOException("the archive of the workers' classes has not been written to " + files.archive());
        }
        files.seal();
    }
}
