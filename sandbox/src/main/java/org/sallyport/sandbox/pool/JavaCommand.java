package org.sallyport.sandbox.pool;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.sallyport.sandbox.worker.WorkerMain;

/** The commands of workers' JVMs, without what the operating system adds. */
record JavaCommand(WorkerSettings settings, WorkerFiles files) {
    /** Class metadata, compiled code, stacks (a parser's is large) and native code, beside the heap. */
    private static final long NON_HEAP_BYTES = 3L << 29;

    /** Writable memory a worker may have in all, in bytes. */
    long memoryBytes() {
        return ((long) settings.heapMegabytes() << 20) + NON_HEAP_BYTES;
    }

    /** Runs {@code main} as a worker. */
    List<String> workerCommand(Path directory, Class<?> main, String first) {
        List<String> command = baseCommand(directory);
        if (Files.exists(files.archive())) {
            command.add("-XX:SharedArchiveFile=" + files.archive());
        }
        command.addAll(mainArguments(main, first));
        return command;
    }

    /** Loads what workers load, and writes an archive of it to {@code archive}. */
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
                // There is no place to unpack it to, and the interpreter does without.
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
