package org.sallyport.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes each skipped or aborted test and class, with the reason, to {@code target/skipped-tests/<class>.txt} of its
 * module. The build prints these files at its end and removes them. Surefire itself does not report a class that is
 * aborted as a whole. A rerun of failed tests adds its lines to the lines of the first run.
 */
public final class SkippedTestListener implements TestExecutionListener {
    private static final Map<String, SortedSet<String>> LINES_BY_CLASS = new TreeMap<>();

    private final Path directory;

    /** Called by JUnit. */
    public SkippedTestListener() {
        this(Path.of(System.getProperty("basedir", ""), "target", "skipped-tests"));
    }

    SkippedTestListener(Path directory) {
        this.directory = directory;
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        add(test, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            add(test, result.getThrowable().map(Throwable::getMessage).orElse("aborted"));
        } else {
            className(test).ifPresent(name -> lines(name));
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        synchronized (LINES_BY_CLASS) {
            LINES_BY_CLASS.forEach(this::write);
        }
    }

    private void add(TestIdentifier test, String reason) {
        className(test).ifPresent(name -> {
            synchronized (LINES_BY_CLASS) {
                lines(name).add(line(test, name, reason));
            }
        });
    }

    private static SortedSet<String> lines(String className) {
        synchronized (LINES_BY_CLASS) {
            return LINES_BY_CLASS.computeIfAbsent(className, name -> new TreeSet<>());
        }
    }

    private static String line(TestIdentifier test, String className, String reason) {
        Optional<String> method = test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> "." + ((MethodSource) source).getMethodName());
        return "SKIPPED " + className + method.orElse("") + ": "
                + reason.lines().findFirst().orElse("");
    }

    private static Optional<String> className(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        if (source instanceof MethodSource method) {
            return Optional.of(method.getClassName());
        }
        return source instanceof ClassSource type ? Optional.of(type.getClassName()) : Optional.empty();
    }

    private void write(String className, SortedSet<String> lines) {
        Path file = directory.resolve(className + ".txt");
        try {
            if (lines.isEmpty()) {
                Files.deleteIfExists(file);
            } else {
                Files.createDirectories(directory);
                Files.write(file, lines);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
