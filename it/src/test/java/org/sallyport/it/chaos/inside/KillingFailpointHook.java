package org.sallyport.it.chaos.inside;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.tool.ToolCall;

/**
 * Kills the process at the failpoint that the file {@code armed} names, the n-th time that it is reached. Records every
 * call that a connector receives, before any code could prevent a duplicate. Loses the answer of a commit that the file
 * {@value #LOST_COMMIT_FILE} describes. The files lie in the directory {@value #DIRECTORY_PROPERTY}.
 */
public final class KillingFailpointHook implements Failpoint.FailpointHook {
    /** Name of the system property that holds the directory. */
    public static final String DIRECTORY_PROPERTY = "chaos.directory";
    /**
     * Name of the file that suspends the process (SIGSTOP) at a failpoint. Its content is like that of {@link
     * #ARMED_FILE}. The hook deletes the file before it suspends the process.
     */
    public static final String PAUSE_FILE = "pause";
    /**
     * Name of the file that lets the process run out of memory at a failpoint: another thread fills the heap, so that
     * all others continue until they find no memory. Content and deletion are like those of {@link #PAUSE_FILE}.
     */
    public static final String MEMORY_FILE = "memory";
    /** Name of the file that holds a failpoint and how often it must be reached. */
    public static final String ARMED_FILE = "armed";
    /** Name of the file with one line per call: call id and tool. */
    public static final String CALLS_FILE = "calls";
    /**
     * Name of the file that lets a commit lose its answer: a number, which must differ from that of the file before;
     * which commit it is, from 1; and a regular expression. Only commits count that a class requests whose name the
     * expression finds. The hook deletes the file when it has lost the answer.
     */
    public static final String LOST_COMMIT_FILE = "lost-commit";

    /** Name of the system property that holds the URL of an H2 database that must lose committed data. */
    public static final String LOSSY_DATABASE_PROPERTY = "chaos.forgetful";

    private static final int KILLED_EXIT_CODE = 137;
    private static final int HEAP_PIECE_BYTES = 16 * 1024;
    private static final String CONNECTION_FAILURE = "08006";

    private final Path directory = Path.of(System.getProperty(DIRECTORY_PROPERTY, "."));
    private final Map<String, AtomicInteger> hitsByArming = new ConcurrentHashMap<>();

    @Override
    public void reached(Failpoint point, Object subject) {
        try {
            if (point == Failpoint.CALL_HEARD && subject instanceof ToolCall call) {
                recordCall(call);
            }
            if (isDue(PAUSE_FILE, point)) {
                pauseProcess();
            }
            if (isDue(MEMORY_FILE, point)) {
                new Thread(KillingFailpointHook::fillHeap, "heap-filler").start();
            }
            if (point == Failpoint.ACCEPTED) {
                delayDatabaseWrites();
            }
            if (point == Failpoint.COMMITTED) {
                loseAnswerOfCommit();
            }
            String armed = Files.readString(directory.resolve(ARMED_FILE)).strip();
            String[] words = armed.split(" ", -1);
            if (words[0].equals(point.name())
                    && hitsByArming
                                    .computeIfAbsent(armed, any -> new AtomicInteger())
                                    .incrementAndGet()
                            >= Integer.parseInt(words[1])) {
                Runtime.getRuntime().halt(KILLED_EXIT_CODE);
            }
        } catch (NoSuchFileException e) {
            // No failpoint is armed.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Throws the exception that {@link Failpoint#COMMITTED} documents if this commit is to lose its answer. */
    private void loseAnswerOfCommit() throws IOException {
        Path file = directory.resolve(LOST_COMMIT_FILE);
        if (!Files.exists(file)) {
            return;
        }
        String arming = Files.readString(file).strip();
        String[] words = arming.split(" ", -1);
        if (isRequestedBy(words[2]) && countHit(arming) == Integer.parseInt(words[1])) {
            Files.delete(file);
            throw new IllegalStateException(
                    new SQLException("the commit is not answered, as the test says", CONNECTION_FAILURE));
        }
    }

    private static boolean isRequestedBy(String className) {
        Pattern pattern = Pattern.compile(className);
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(
                        frame -> pattern.matcher(frame.getClassName()).find()));
    }

    private int countHit(String arming) {
        return hitsByArming.computeIfAbsent(arming, any -> new AtomicInteger()).incrementAndGet();
    }

    /** Sets the delay again and again, because every new connection of the server restores the setting. */
    private static void delayDatabaseWrites() {
        String url = System.getProperty(LOSSY_DATABASE_PROPERTY);
        if (url != null) {
            try (Connection connection = DriverManager.getConnection(url, "sallyport", "");
                    Statement statement = connection.createStatement()) {
                statement.execute("set write_delay 60000");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * Writes each line in one operation: lines of two threads do not mix, and written lines survive the death of the
     * process.
     */
    private synchronized void recordCall(ToolCall call) throws IOException {
        Files.writeString(
                directory.resolve(CALLS_FILE),
                call.id() + " " + call.tool() + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** Returns true once for each content of the file. */
    private boolean isDue(String name, Failpoint point) throws IOException {
        Path file = directory.resolve(name);
        if (!Files.exists(file)) {
            return false;
        }
        String arming = Files.readString(file).strip();
        String[] words = arming.split(" ", -1);
        boolean isDue = words[0].equals(point.name())
                && hitsByArming
                                .computeIfAbsent(name + " " + arming, any -> new AtomicInteger())
                                .incrementAndGet()
                        == Integer.parseInt(words[1]);
        if (isDue) {
            Files.deleteIfExists(file);
        }
        return isDue;
    }

    /** Small pieces: the other threads then find no memory, too. */
    private static void fillHeap() {
        List<byte[]> kept = new ArrayList<>();
        while (true) {
            kept.add(new byte[HEAP_PIECE_BYTES]);
        }
    }

    /** Suspends this process until another one resumes it. */
    private static void pauseProcess() throws IOException {
        Process signal = new ProcessBuilder(
                        "kill", "-STOP", Long.toString(ProcessHandle.current().pid()))
                .start();
        try {
            signal.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
