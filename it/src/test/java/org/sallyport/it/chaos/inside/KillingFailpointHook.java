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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.tool.ToolCall;

/**
 * Ends the process at the point that the file {@code armed} names, the n-th time it is reached; and notes every call that a
 * connector is given, before anything could keep it from happening twice. Both lie in the directory {@value #DIRECTORY_PROPERTY}.
 */
public final class KillingFailpointHook implements Failpoint.FailpointHook {
    /** Name of the system property that holds the directory. */
    public static final String DIRECTORY_PROPERTY = "chaos.directory";
    /** A point's name and how often it is to be reached. */
    public static final String ARMED_FILE = "armed";
    /** Call id and tool, a line each. */
    public static final String CALLS_FILE = "calls";

    /** Name of the system property that holds the URL of an H2 database that is to forget what is committed. */
    public static final String LOSSY_DATABASE_PROPERTY = "chaos.forgetful";

    private static final int KILLED_EXIT_CODE = 137;

    private final Path directory = Path.of(System.getProperty(DIRECTORY_PROPERTY, "."));
    private final Map<String, AtomicInteger> hitsByArming = new ConcurrentHashMap<>();

    @Override
    public void reached(Failpoint point, Object subject) {
        try {
            if (point == Failpoint.CALL_HEARD && subject instanceof ToolCall call) {
                recordCall(call);
            }
            if (point == Failpoint.ACCEPTED) {
                delayDatabaseWrites();
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
            // Nothing is armed.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Again and again, since every new connection of the server sets it right. */
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

    /** One write each: lines of two threads do not mix, and what the process has written outlives it. */
    private synchronized void recordCall(ToolCall call) throws IOException {
        Files.writeString(
                directory.resolve(CALLS_FILE),
                call.id() + " " + call.tool() + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }
}
