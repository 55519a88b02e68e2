package org.sallyport.sandbox.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessSessionTest {
    private static final List<String> COMMAND = List.of("/worker", "argument");

    @TempDir
    private Path directory;

    private SystemPrograms programs(String... names) throws IOException {
        for (String name : names) {
            Files.createFile(
                    directory.resolve(name),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        return new SystemPrograms(directory.toString());
    }

    private String path(String name) throws IOException {
        return directory.toRealPath().resolve(name).toString();
    }

    @Test
    void programsThatDoNotExistAreLeftOut() throws IOException {
        ProcessSession session = ProcessSession.detect(programs("sh", "nice"), command -> true);

        assertThat(session.wrapCommand(10, COMMAND)).containsExactly(path("nice"), "-n", "10", "/worker", "argument");
        assertThat(session.features()).isEmpty();
    }

    @Test
    void workerWithThePriorityOfTheServerOnlyNeedsTheSession() throws IOException {
        ProcessSession session = ProcessSession.detect(programs("sh", "nice", "setsid"), command -> true);

        assertThat(session.wrapCommand(0, COMMAND)).containsExactly(path("setsid"), "/worker", "argument");
        assertThat(session.features()).containsExactly(IsolationFeature.OWN_SESSION);
        assertThat(session.wrapCommand(10, COMMAND))
                .startsWith(path("nice"), "-n", "10", path("setsid"), path("sh"), "-c")
                .endsWith("10", "/worker", "argument");
    }

    @Test
    void programsThatFailAreNotUsed() throws IOException {
        ProcessSession session = ProcessSession.detect(programs("sh", "nice", "setsid"), command -> false);

        assertThat(session.wrapCommand(10, COMMAND)).isEqualTo(COMMAND);
        assertThat(session.features()).isEmpty();
    }

    @Test
    void programThatFailsDoesNotPreventTheUseOfTheOther() throws IOException {
        SystemPrograms programs = programs("sh", "nice", "setsid");
        ProcessSession withoutNice =
                ProcessSession.detect(programs, command -> command.get(0).endsWith("setsid"));
        ProcessSession withoutSetsid =
                ProcessSession.detect(programs, command -> command.get(0).endsWith("nice"));

        assertThat(withoutNice.wrapCommand(10, COMMAND)).startsWith(path("setsid"), path("sh"));
        assertThat(withoutSetsid.wrapCommand(10, COMMAND))
                .containsExactly(path("nice"), "-n", "10", "/worker", "argument");
    }

    @Test
    void workerWithoutASessionGetsOneByBubblewrap() throws IOException {
        WorkerIsolationSpec worker = new WorkerIsolationSpec(1, directory, directory, false, List.of(), 0);

        assertThat(bubblewrap(true).wrapCommand(worker, COMMAND)).contains("--new-session");
        assertThat(bubblewrap(false).wrapCommand(worker, COMMAND)).doesNotContain("--new-session");
    }

    private BubblewrapIsolation bubblewrap(boolean newSession) throws IOException {
        Path program = Path.of("/program");
        return new BubblewrapIsolation(
                program,
                new PrivilegeDrop(program, false),
                new ResourceLimits(program, 1 << 20),
                new BindMounts(Path.of(System.getProperty("java.home")), List.of()),
                newSession);
    }
}
