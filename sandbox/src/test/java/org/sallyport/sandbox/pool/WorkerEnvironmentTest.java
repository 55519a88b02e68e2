package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.SandboxContract;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.isolation.IsolationFeature;
import org.sallyport.sandbox.isolation.SystemPrograms;
import org.sallyport.sandbox.worker.WorkerMain;
import org.sallyport.testsupport.TestPrerequisite;

/**
 * Tests the actions that remain possible for a script that has escaped into the JVM of its worker. The launcher starts
 * a probe in place of the worker.
 */
class WorkerEnvironmentTest {
    private static final int PROCESS_GROUP = 2;
    private static final int SESSION = 3;
    private static final int NICENESS = 16;
    private static final Path DATA = Path.of("target", "workers").toAbsolutePath();

    @TempDir
    private Path temporary;

    private Path errors;
    private Path runDirectory;
    private WorkerSocket socket;
    private WorkerLauncher launcher;
    private WorkerEnvironment environment;

    @BeforeEach
    void open() throws IOException {
        open(SystemPrograms.SYSTEM_DEFAULT);
    }

    private void open(SystemPrograms programs) throws IOException {
        errors = Files.createFile(temporary.resolve("errors-" + System.nanoTime()));
        runDirectory = RunDirectories.createRunDirectory();
        socket = new WorkerSocket(runDirectory.resolve("sock"), DaemonThreads.newTimerExecutor("test"), 8);
        WorkerSettings plain = WorkerSettings.defaults(DATA);
        WorkerSettings settings = new WorkerSettings(
                DATA,
                Optional.empty(),
                64,
                1,
                1,
                1,
                1,
                1,
                Duration.ofMinutes(1),
                WorkerSharing.TENANT,
                plain.stopGrace(),
                plain.niceness(),
                Optional.of(errors),
                false);
        environment = WorkerEnvironment.detect(settings, programs, runDirectory, socket.path());
        launcher = new WorkerLauncher(settings, withProbe(environment));
    }

    @AfterEach
    void close() {
        socket.close();
        RunDirectories.deleteRecursively(runDirectory);
    }

    private static WorkerEnvironment withProbe(WorkerEnvironment site) throws IOException {
        Path classes = site.files().directory().resolve("probe");
        String name = SandboxEscapeProbe.class.getName().replace('.', '/') + ".class";
        Files.createDirectories(classes.resolve(name).getParent());
        Files.write(
                classes.resolve(name),
                SandboxEscapeProbe.class.getResourceAsStream("/" + name).readAllBytes());
        WorkerFiles.makeWorldReadable(classes);
        List<Path> jars = new ArrayList<>(site.files().jars());
        jars.add(classes);
        return new WorkerEnvironment(
                new WorkerFiles(site.files().directory(), jars),
                site.runDirectory(),
                site.socket(),
                site.isolation(),
                false);
    }

    private Map<String, String> probe(String... orders) throws Exception {
        StartedWorkerProcess started = launcher.start(SandboxEscapeProbe.class, String.join("\n", orders));
        try {
            assertThat(started.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            started.process().destroyForcibly();
        }
        return answers();
    }

    private Map<String, String> answers() throws IOException {
        Map<String, String> answers = new HashMap<>();
        for (String line : Files.readAllLines(errors)) {
            int at = line.indexOf('=');
            if (at > 0) {
                answers.merge(line.substring(0, at), line.substring(at + 1), (a, b) -> a + "\n" + b);
            }
        }
        return answers;
    }

    private static String answer(Map<String, String> answers, String order) {
        return answers.getOrDefault(order, "");
    }

    private void requireFeatures(IsolationFeature... wanted) {
        TestPrerequisite.require(
                Stream.of(wanted).allMatch(environment.isolation()::hasFeature),
                "means of isolation: " + List.of(wanted));
    }

    @Test
    void workerInheritsNoServerState() throws Exception {
        Map<String, String> answers = probe("environment", "descriptors", "directory");
        assertThat(answer(answers, "environment")).isEqualTo("{}");
        assertThat(answer(answers, "directory")).startsWith("[] ");
        String known = "(?:/dev/null|/dev/u?random|pipe:\\S+|/proc/\\d+/fd|" + errors + "|"
                + environment.files().directory() + "/\\S+|" + Path.of(System.getProperty("java.home")) + "/\\S+) ";
        assertThat(answer(answers, "descriptors").replaceAll(known, "")).isBlank();
    }

    @Test
    void workerHasNoNetwork() throws Exception {
        requireFeatures(IsolationFeature.NO_NETWORK);
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Map<String, String> answers = probe("interfaces", "connect " + server.getLocalPort());
            // The worker may have its own loopback interface, which reaches no other network namespace.
            assertThat(answer(answers, "interfaces")).isIn("", "lo");
            assertThat(answers).containsEntry("connect", "refused");
        }
    }

    @Test
    void workerSeesNoOtherProcess() throws Exception {
        requireFeatures(IsolationFeature.OWN_PROCESSES, IsolationFeature.OWN_FILES);
        Map<String, String> answers =
                probe("processes", "process " + ProcessHandle.current().pid());
        assertThat(answers).containsEntry("processes", "1").containsEntry("process", "false denied");
    }

    @Test
    void workerCannotReadServerFiles() throws Exception {
        requireFeatures(IsolationFeature.OWN_USER);
        Path data = Files.createDirectory(
                temporary.resolve("data-" + System.nanoTime()),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(data.resolve("open"), "canary");
        Files.writeString(data.resolve("closed"), "canary");
        Files.setPosixFilePermissions(data.resolve("closed"), PosixFilePermissions.fromString("rw-------"));
        Map<String, String> answers = probe(
                "readable " + data.resolve("open"),
                "readable " + data.resolve("closed"),
                "readable " + data,
                "readable /proc/" + ProcessHandle.current().pid() + "/environ",
                // Readable only by a process that may trace the server.
                "readable /proc/" + ProcessHandle.current().pid() + "/syscall",
                "readable /etc/shadow");
        assertThat(answer(answers, "readable").lines()).hasSize(6).allMatch("denied"::equals);
    }

    @Test
    void workerSeesOnlyRequiredFiles() throws Exception {
        requireFeatures(IsolationFeature.OWN_FILES);
        Map<String, String> answers = probe(
                "listing /",
                "listing /dev",
                "readable /etc/passwd",
                "readable /etc/hostname",
                "readable /usr/bin/env",
                "readable " + Path.of("pom.xml").toAbsolutePath());
        assertThat(answer(answers, "listing").lines().findFirst().orElseThrow())
                .doesNotContain("home", "root", "var", "sys");
        assertThat(answer(answers, "listing")).contains("[null, random, urandom]");
        assertThat(answer(answers, "readable").lines()).hasSize(4).allMatch("denied"::equals);
    }

    @Test
    void workerCannotWriteFiles() throws Exception {
        requireFeatures(IsolationFeature.OWN_FILES);
        Map<String, String> answers = probe(
                "directory",
                "writable /",
                "writable /tmp",
                "writable /dev",
                "writable " + environment.files().directory(),
                "writable " + runDirectory,
                "writable " + System.getProperty("java.home"));
        assertThat(answer(answers, "directory")).isEqualTo("[] denied");
        assertThat(answer(answers, "writable").lines()).hasSize(6).allMatch("denied"::equals);
    }

    @Test
    void privilegesArePermanentlyDropped() throws Exception {
        requireFeatures(IsolationFeature.NO_NEW_PRIVILEGES);
        assertThat(answer(probe("status"), "status"))
                .contains("NoNewPrivs: 1", "CapEff: 0000000000000000", "CapPrm: 0000000000000000")
                .contains("CapBnd: 0000000000000000", "CapInh: 0000000000000000", "CapAmb: 0000000000000000");
    }

    @Test
    void resourceLimitsApplyAndStopAThreadFlood() throws Exception {
        requireFeatures(IsolationFeature.RESOURCE_LIMITS, IsolationFeature.OWN_USER);
        Map<String, String> answers = probe("limits", "threads 10000");
        assertThat(answer(answers, "limits"))
                .contains("Max core file size 0 0", "Max processes 256 256", "Max open files 256 256");
        // The process may also exit immediately because of the limit, which is equally good.
        if (answers.containsKey("threads")) {
            assertThat(Integer.parseInt(answer(answers, "threads"))).isBetween(1, 255);
        }
    }

    @Test
    void workerHasASessionAndAProcessGroupOfItsOwn() throws Exception {
        requireFeatures(IsolationFeature.OWN_SESSION);
        StartedWorkerProcess worker = launcher.start(SandboxEscapeProbe.class, "wait");
        try {
            WorkerSandboxTest.await(() -> javaProcesses(worker).findAny().isPresent());
            assertThat(processes(worker)).allSatisfy(process -> {
                assertThat(statField(process, PROCESS_GROUP))
                        .isEqualTo(worker.process().pid());
                assertThat(statField(process, SESSION))
                        .isEqualTo(worker.process().pid());
            });
        } finally {
            worker.process().destroyForcibly();
        }
    }

    @Test
    void workerHasALowerPriorityThanTheServer() throws Exception {
        TestPrerequisite.require(Files.isExecutable(systemProgram("nice")), "the program nice");
        long own = statField(ProcessHandle.current(), NICENESS);
        StartedWorkerProcess worker = launcher.start(SandboxEscapeProbe.class, "wait");
        try {
            WorkerSandboxTest.await(() -> javaProcesses(worker).findAny().isPresent());
            ProcessHandle java = javaProcesses(worker).findAny().orElseThrow();
            assertThat(statField(java, NICENESS)).isEqualTo(Math.min(19, own + 10));
            Path session = Path.of("/proc", java.pid() + "", "autogroup");
            if (Files.isWritable(session) && environment.isolation().hasFeature(IsolationFeature.OWN_SESSION)) {
                assertThat(Files.readString(session)).endsWith(" nice 10\n");
            }
        } finally {
            worker.process().destroyForcibly();
        }
    }

    private static Stream<ProcessHandle> javaProcesses(StartedWorkerProcess worker) {
        return processes(worker).filter(each -> each.info().command().orElse("").endsWith("java"));
    }

    private static Stream<ProcessHandle> processes(StartedWorkerProcess worker) {
        return Stream.concat(
                Stream.of(worker.process().toHandle()), worker.process().descendants());
    }

    /** @param field its index after the name of the program */
    private static long statField(ProcessHandle process, int field) {
        try {
            String stat = Files.readString(Path.of("/proc", process.pid() + "", "stat"));
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[field]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyWorkerHasItsOwnUserAndDiesWithItsStarter() throws Exception {
        requireFeatures(IsolationFeature.OWN_USER, IsolationFeature.OWN_PROCESSES);
        List<StartedWorkerProcess> two = List.of(
                launcher.start(SandboxEscapeProbe.class, "wait"), launcher.start(SandboxEscapeProbe.class, "wait"));
        WorkerSandboxTest.await(() -> {
            try {
                return answers().getOrDefault("waiting", "none").equals("\n");
            } catch (IOException failure) {
                return false;
            }
        });
        List<ProcessHandle> inside =
                two.stream().flatMap(WorkerEnvironmentTest::javaProcesses).toList();
        assertThat(inside).hasSize(2);
        if (Files.getAttribute(runDirectory, "unix:uid").equals(0)) {
            assertThat(inside)
                    .extracting(each -> Files.getAttribute(Path.of("/proc", each.pid() + ""), "unix:uid"))
                    .doesNotContain(0)
                    .doesNotHaveDuplicates();
        }
        two.forEach(each -> each.process().destroyForcibly());
        WorkerSandboxTest.await(() -> inside.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Tag("slow")
    @Test
    void classArchiveIsCreatedOnceAndUsed() throws Exception {
        Path other = RunDirectories.createRunDirectory();
        WorkerSettings plain = WorkerSettings.defaults(temporary.resolve("data"));
        try (WorkerSocket its = new WorkerSocket(other.resolve("sock"), DaemonThreads.newTimerExecutor("test"), 8)) {
            WorkerEnvironment fresh = WorkerEnvironment.detect(plain, SystemPrograms.SYSTEM_DEFAULT, other, its.path());
            Path archive = fresh.files().archive();
            // A builder with low priority takes minutes beside other tests.
            try (CdsArchiveBuilder builder = CdsArchiveBuilder.withNormalPriority(
                    new JavaCommand(plain, fresh.files()), ProcessBuilder.Redirect.DISCARD)) {
                builder.buildIfMissing(other.resolve("training"));
            }
            assertThat(archive).isNotEmptyFile();
            FileTime modifiedAt = Files.getLastModifiedTime(archive);
            new WorkerLauncher(plain, fresh).prepare();
            assertThat(Files.getLastModifiedTime(archive)).isEqualTo(modifiedAt);

            Path loaded = temporary.resolve("loaded");
            List<String> command = new ArrayList<>(
                    new JavaCommand(plain, fresh.files()).workerCommand(other, WorkerMain.class, WorkerMain.TRAIN));
            command.replaceAll(word -> word.equals("-Xlog:disable") ? "-Xlog:class+load:file=" + loaded : word);
            Process worker = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                assertThat(worker.waitFor(240, TimeUnit.SECONDS)).isTrue();
            } finally {
                worker.destroyForcibly();
            }
            assertThat(Files.readAllLines(loaded))
                    .anyMatch(line -> line.contains(WorkerMain.class.getName() + " source: shared objects file (top)"));
        } finally {
            RunDirectories.deleteRecursively(other);
        }
    }

    /** Returns system programs that consist of these only. */
    private SystemPrograms programs(Path... only) throws IOException {
        Path directory = Files.createDirectory(temporary.resolve("programs-" + System.nanoTime()));
        for (Path program : only) {
            Files.createSymbolicLink(directory.resolve(program.getFileName()), program);
        }
        return new SystemPrograms(directory.toString());
    }

    private static Path systemProgram(String name) {
        return Path.of("/usr/bin", name);
    }

    @Tag("slow")
    @Test
    void workersRunWithoutToolsAndMissingIsolationIsReported() throws Exception {
        close();
        open(programs());
        assertThat(environment.isolation().missingFeatures())
                .containsExactly(
                        "no-network",
                        "own-user",
                        "own-processes",
                        "own-session",
                        "own-ipc",
                        "no-new-privileges",
                        "resource-limits",
                        "own-files");
        assertThat(probe("environment")).containsEntry("environment", "{}");
        try (WorkerSandbox sandbox = new WorkerSandbox(
                WorkerSettings.defaults(DATA),
                WorkerSandbox.processRuntime(WorkerSettings.defaults(DATA), programs()))) {
            assertThat(RecordingListener.start(sandbox, SandboxContract.request("return 7", SourceLanguage.JAVASCRIPT))
                            .end())
                    .isEqualTo(new SessionResult.ScriptReturned("7"));
        }
    }

    @Tag("slow")
    @Test
    void withoutMountOnlyFileIsolationIsMissing() throws Exception {
        requireFeatures(IsolationFeature.OWN_USER);
        TestPrerequisite.require(Files.getAttribute(runDirectory, "unix:uid").equals(0), "the user root");
        close();
        open(programs(
                systemProgram("setpriv"),
                systemProgram("prlimit"),
                systemProgram("unshare"),
                systemProgram("setsid"),
                systemProgram("sh")));
        assertThat(environment.isolation().missingFeatures()).containsExactly("own-files");
        workerCannotReadServerFiles();
        Files.write(errors, new byte[0]);
        workerHasNoNetwork();
        Files.write(errors, new byte[0]);
        privilegesArePermanentlyDropped();
        Files.write(errors, new byte[0]);
        assertThat(probe("directory").get("directory")).isEqualTo("[] denied");
        workerHasASessionAndAProcessGroupOfItsOwn();
    }

    @Tag("slow")
    @Test
    void withoutNamespacesUserIsolationRemains() throws Exception {
        TestPrerequisite.require(Files.getAttribute(runDirectory, "unix:uid").equals(0), "the user root");
        requireFeatures(IsolationFeature.OWN_USER);
        close();
        open(programs(systemProgram("setpriv"), systemProgram("prlimit")));
        assertThat(environment.isolation().activeFeatures())
                .containsExactly("own-user", "no-new-privileges", "resource-limits");
        workerCannotReadServerFiles();
        Files.write(errors, new byte[0]);
        resourceLimitsApplyAndStopAThreadFlood();
    }

    @Test
    void bubblewrapProvidesAllIsolation() throws Exception {
        Path bwrap = Path.of(System.getProperty("sallyport.test.bwrap", "/usr/bin/bwrap"));
        TestPrerequisite.require(Files.isExecutable(bwrap), "bubblewrap (Debian package bubblewrap)");
        Process trial = new ProcessBuilder(bwrap.toString(), "--ro-bind", "/", "/", "--unshare-all", "true").start();
        TestPrerequisite.require(trial.waitFor() == 0, "the right to make namespaces with bubblewrap");
        close();
        open(programs(
                bwrap,
                systemProgram("setpriv"),
                systemProgram("prlimit"),
                systemProgram("setsid"),
                systemProgram("nice"),
                systemProgram("sh"),
                systemProgram("sleep")));
        assertThat(environment.isolation().missingFeatures()).isEmpty();
        workerCannotWriteFiles();
        Files.write(errors, new byte[0]);
        workerHasNoNetwork();
        Files.write(errors, new byte[0]);
        privilegesArePermanentlyDropped();
        Files.write(errors, new byte[0]);
        workerCannotReadServerFiles();
        Files.write(errors, new byte[0]);
        resourceLimitsApplyAndStopAThreadFlood();
        workerHasASessionAndAProcessGroupOfItsOwn();
        workerHasALowerPriorityThanTheServer();
    }
}
