package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.SandboxContract;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.isolation.Means;
import org.sallyport.sandbox.isolation.Programs;
import org.sallyport.sandbox.worker.WorkerMain;
import org.sallyport.testsupport.Prerequisite;

/** What a script that escaped into its worker's JVM could still do: a probe is started in place of the worker. */
class SiteTest {
    private static final Path DATA = Path.of("target", "workers").toAbsolutePath();

    @TempDir
    private Path temporary;

    private Path errors;
    private Path run;
    private Door door;
    private Launcher launcher;
    private Site site;

    @BeforeEach
    void open() throws IOException {
        open(Programs.OF_SYSTEM);
    }

    private void open(Programs programs) throws IOException {
        errors = Files.createFile(temporary.resolve("errors-" + System.nanoTime()));
        run = Directories.forRun();
        door = new Door(run.resolve("door"), Threads.clock("test"));
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
                Share.TENANT,
                plain.stopGrace(),
                Optional.of(errors),
                false);
        site = Site.find(settings, programs, run, door.path());
        launcher = new Launcher(settings, withProbe(site));
    }

    @AfterEach
    void close() {
        door.close();
        Directories.delete(run);
    }

    private static Site withProbe(Site site) throws IOException {
        Path classes = site.files().directory().resolve("probe");
        String name = Probe.class.getName().replace('.', '/') + ".class";
        Files.createDirectories(classes.resolve(name).getParent());
        Files.write(
                classes.resolve(name),
                Probe.class.getResourceAsStream("/" + name).readAllBytes());
        WorkerFiles.readableByAll(classes);
        List<Path> jars = new ArrayList<>(site.files().jars());
        jars.add(classes);
        return new Site(
                new WorkerFiles(site.files().directory(), jars), site.run(), site.door(), site.isolation(), false);
    }

    private Map<String, String> probe(String... orders) throws Exception {
        Started started = launcher.start(Probe.class, String.join("\n", orders));
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

    private static String of(Map<String, String> answers, String order) {
        return answers.getOrDefault(order, "");
    }

    private void assume(Means... wanted) {
        Prerequisite.require(
                Stream.of(wanted).allMatch(site.isolation()::has), "means of isolation: " + List.of(wanted));
    }

    @Test
    void nothingIsInheritedFromTheServer() throws Exception {
        Map<String, String> answers = probe("environment", "descriptors", "directory");
        assertThat(of(answers, "environment")).isEqualTo("{}");
        assertThat(of(answers, "directory")).startsWith("[] ");
        String known = "(?:/dev/null|/dev/u?random|pipe:\\S+|/proc/\\d+/fd|" + errors + "|"
                + site.files().directory() + "/\\S+|" + Path.of(System.getProperty("java.home")) + "/\\S+) ";
        assertThat(of(answers, "descriptors").replaceAll(known, "")).isBlank();
    }

    @Test
    void thereIsNoNetwork() throws Exception {
        assume(Means.NO_NETWORK);
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Map<String, String> answers = probe("interfaces", "connect " + server.getLocalPort());
            // A loopback interface of its own leads nowhere.
            assertThat(of(answers, "interfaces")).isIn("", "lo");
            assertThat(answers).containsEntry("connect", "refused");
        }
    }

    @Test
    void thereIsNoOtherProcess() throws Exception {
        assume(Means.OWN_PROCESSES, Means.OWN_FILES);
        Map<String, String> answers =
                probe("processes", "process " + ProcessHandle.current().pid());
        assertThat(answers).containsEntry("processes", "1").containsEntry("process", "false denied");
    }

    @Test
    void nothingIsReadThatIsTheServers() throws Exception {
        assume(Means.OWN_USER);
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
                // To be read by whoever could trace the server.
                "readable /proc/" + ProcessHandle.current().pid() + "/syscall",
                "readable /etc/shadow");
        assertThat(of(answers, "readable").lines()).hasSize(6).allMatch("denied"::equals);
    }

    @Test
    void ofTheFileSystemOnlyWhatItNeedsIsThere() throws Exception {
        assume(Means.OWN_FILES);
        Map<String, String> answers = probe(
                "listing /",
                "listing /dev",
                "readable /etc/passwd",
                "readable /etc/hostname",
                "readable /usr/bin/env",
                "readable " + Path.of("pom.xml").toAbsolutePath());
        assertThat(of(answers, "listing").lines().findFirst().orElseThrow())
                .doesNotContain("home", "root", "var", "sys");
        assertThat(of(answers, "listing")).contains("[null, random, urandom]");
        assertThat(of(answers, "readable").lines()).hasSize(4).allMatch("denied"::equals);
    }

    @Test
    void nothingCanBeWritten() throws Exception {
        assume(Means.OWN_FILES);
        Map<String, String> answers = probe(
                "directory",
                "writable /",
                "writable /tmp",
                "writable /dev",
                "writable " + site.files().directory(),
                "writable " + run,
                "writable " + System.getProperty("java.home"));
        assertThat(of(answers, "directory")).isEqualTo("[] denied");
        assertThat(of(answers, "writable").lines()).hasSize(6).allMatch("denied"::equals);
    }

    @Test
    void privilegesAreGoneForGood() throws Exception {
        assume(Means.NO_NEW_PRIVILEGES);
        assertThat(of(probe("status"), "status"))
                .contains("NoNewPrivs: 1", "CapEff: 0000000000000000", "CapPrm: 0000000000000000")
                .contains("CapBnd: 0000000000000000", "CapInh: 0000000000000000", "CapAmb: 0000000000000000");
    }

    @Test
    void limitsAreInEffectAndTenThousandThreadsStopAtThem() throws Exception {
        assume(Means.RESOURCE_LIMITS, Means.OWN_USER);
        Map<String, String> answers = probe("limits", "threads 10000");
        assertThat(of(answers, "limits"))
                .contains("Max core file size 0 0", "Max processes 256 256", "Max open files 256 256");
        // The process may also end at once of it, which is as good.
        if (answers.containsKey("threads")) {
            assertThat(Integer.parseInt(of(answers, "threads"))).isBetween(1, 255);
        }
    }

    @Test
    void everyWorkerHasAUserOfItsOwnAndDiesWithWhatStartedIt() throws Exception {
        assume(Means.OWN_USER, Means.OWN_PROCESSES);
        List<Started> two = List.of(launcher.start(Probe.class, "wait"), launcher.start(Probe.class, "wait"));
        WorkerSandboxTest.await(() -> {
            try {
                return answers().getOrDefault("waiting", "none").equals("\n");
            } catch (IOException failure) {
                return false;
            }
        });
        List<ProcessHandle> inside = two.stream()
                .flatMap(each -> each.process().descendants())
                .filter(each -> each.info().command().orElse("").endsWith("java"))
                .toList();
        assertThat(inside).hasSize(2);
        if (Files.getAttribute(run, "unix:uid").equals(0)) {
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
    void anArchiveOfWhatWorkersLoadIsMadeOnceAndUsed() throws Exception {
        Path other = Directories.forRun();
        WorkerSettings plain = WorkerSettings.defaults(temporary.resolve("data"));
        try (Door its = new Door(other.resolve("door"), Threads.clock("test"))) {
            Site fresh = Site.find(plain, Programs.OF_SYSTEM, other, its.path());
            Path archive = fresh.files().archive();
            Launcher own = new Launcher(plain, fresh);
            own.prepare();
            assertThat(archive).isNotEmptyFile();
            FileTime made = Files.getLastModifiedTime(archive);
            own.prepare();
            assertThat(Files.getLastModifiedTime(archive)).isEqualTo(made);

            Path loaded = temporary.resolve("loaded");
            List<String> command = new ArrayList<>(
                    new JavaCommand(plain, fresh.files()).worker(other, WorkerMain.class, WorkerMain.TRAIN));
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
            Directories.delete(other);
        }
    }

    /** Only these of the system's programs. */
    private Programs programs(Path... only) throws IOException {
        Path directory = Files.createDirectory(temporary.resolve("programs-" + System.nanoTime()));
        for (Path program : only) {
            Files.createSymbolicLink(directory.resolve(program.getFileName()), program);
        }
        return new Programs(directory.toString());
    }

    private static Path system(String name) {
        return Path.of("/usr/bin", name);
    }

    @Tag("slow")
    @Test
    void withoutAnyProgramWorkersRunAndAllThatIsMissingIsNamed() throws Exception {
        close();
        open(programs());
        assertThat(site.isolation().missing())
                .containsExactly(
                        "no-network",
                        "own-user",
                        "own-processes",
                        "own-ipc",
                        "no-new-privileges",
                        "resource-limits",
                        "own-files");
        assertThat(probe("environment")).containsEntry("environment", "{}");
        try (WorkerSandbox sandbox = new WorkerSandbox(
                WorkerSettings.defaults(DATA), WorkerSandbox.processes(WorkerSettings.defaults(DATA), programs()))) {
            assertThat(RecordingListener.start(sandbox, SandboxContract.request("return 7", Language.JAVASCRIPT))
                            .end())
                    .isEqualTo(new SessionEnd.Returned("7"));
        }
    }

    @Tag("slow")
    @Test
    void withoutMountAllButTheFileSystemIsKeptApart() throws Exception {
        assume(Means.OWN_USER);
        Prerequisite.require(Files.getAttribute(run, "unix:uid").equals(0), "the user root");
        close();
        open(programs(system("setpriv"), system("prlimit"), system("unshare")));
        assertThat(site.isolation().missing()).containsExactly("own-files");
        nothingIsReadThatIsTheServers();
        Files.write(errors, new byte[0]);
        thereIsNoNetwork();
        Files.write(errors, new byte[0]);
        privilegesAreGoneForGood();
        Files.write(errors, new byte[0]);
        assertThat(probe("directory").get("directory")).isEqualTo("[] denied");
    }

    @Tag("slow")
    @Test
    void withoutNamespacesAnOwnUserIsLeft() throws Exception {
        Prerequisite.require(Files.getAttribute(run, "unix:uid").equals(0), "the user root");
        assume(Means.OWN_USER);
        close();
        open(programs(system("setpriv"), system("prlimit")));
        assertThat(site.isolation().present()).containsExactly("own-user", "no-new-privileges", "resource-limits");
        nothingIsReadThatIsTheServers();
        Files.write(errors, new byte[0]);
        limitsAreInEffectAndTenThousandThreadsStopAtThem();
    }

    @Test
    void bubblewrapProvidesEverything() throws Exception {
        Path bwrap = Path.of(System.getProperty("sallyport.test.bwrap", "/usr/bin/bwrap"));
        Prerequisite.require(Files.isExecutable(bwrap), "bubblewrap (Debian package bubblewrap)");
        Process trial = new ProcessBuilder(bwrap.toString(), "--ro-bind", "/", "/", "--unshare-all", "true").start();
        Prerequisite.require(trial.waitFor() == 0, "the right to make namespaces with bubblewrap");
        close();
        open(programs(bwrap, system("setpriv"), system("prlimit")));
        assertThat(site.isolation().missing()).isEmpty();
        nothingCanBeWritten();
        Files.write(errors, new byte[0]);
        thereIsNoNetwork();
        Files.write(errors, new byte[0]);
        privilegesAreGoneForGood();
        Files.write(errors, new byte[0]);
        nothingIsReadThatIsTheServers();
        Files.write(errors, new byte[0]);
        limitsAreInEffectAndTenThousandThreadsStopAtThem();
    }
}
