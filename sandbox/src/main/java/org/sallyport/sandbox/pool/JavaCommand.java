package org.sallyport.sandbox.pool;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.sallyport.sandbox.worker.WorkerMain;

/** Builds the Java command lines of workers, without the isolation wrappers of the operating system. */
record JavaCommand(WorkerSettings settings, WorkerFiles files) {
    /**
     * Memory besides the heap: 2.6 GB for the stacks of guest threads and of the parser, of which pages that are not
     * used need no memory; class metadata, compiled code and native code.
     */
    private static final long NON_HEAP_BYTES = 15L << 28;

    /** Maximum writable memory of a worker, in bytes. */
    long memoryBytes() {
        return ((long) settings.heapMegabytes() << 20) + NON_HEAP_BYTES;
    }

    /** Returns the command that runs {@code main} as a worker. */
    List<String> workerCommand(Path directory, Class<?> main, String first) {
        List<String> command = baseCommand(directory);
        if (Files.exists(files.archive())) {
            command.add("-XX:SharedArchiveFile=" + files.archive());
        }
        command.addAll(mainArguments(main, first));
        return command;
    }

    /** Returns the command that loads the usual worker classes and writes their archive to {@code archive}. */
    List<String> trainingCommand(Path directory, Path archive) {
        List<String> command = baseCommand(directory);
        command.add("-XX:ArchiveClassesAtExit=" + archive);
        command.addAll(mainArguments(WorkerMain.class, WorkerMain.TRAIN));
        return command;
    }

    private List<String> baseCommand(Path directory) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + settings.heapMegabytes() + "m",
                "-Xss1m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:-UsePerfData",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=/dev/null",
                "-Xshare:auto",
                "-Xlog:disable",
                "-Djava.io.tmpdir=" + directory,
                "-Djava.awt.headless=true",
                "-Duser.timezone=UTC",
                "-Duser.language=en",
                "-Duser.country=US",
                "-Dfile.encoding=UTF-8",
                "-Dpolyglot.engine.userResourceCache=/dev/null",
                // The worker has no directory to unpack the library to, and the interpreter works without it.
                "-Dpolyglotimpl.AttachLibraryFailureAction=ignore",
                "-Dtruffle.UseFallbackRuntime=true"));
        if (Runtime.version().feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        return command;
    }

    private List<String> mainArguments(Class<?> main, String first) {
        return List.of(
                "-cp",
                files.classPath(),
                main.getName(),
                first,
                Integer.toString(settings.threadsPerWorker()),
                files.nativeLibraries().toString());
    }
}
