package org.sallyport.logging;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.temporal.ChronoUnit;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Formats each record as one JSON object on one line: {@code time} (ISO 8601, UTC), {@code level} ({@code ERROR},
 * {@code WARN}, {@code INFO} or {@code DEBUG}), {@code logger}, {@code thread}, {@code message}, and where present
 * {@code execution} with its {@code attempt}, the {@code trace} that it belongs to, and the stack trace as
 * {@code error}. A message cannot end the line or add a member. Thread-safe.
 */
public final class JsonFormatter extends Formatter {
    private static final String ID = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
    /** The forms in which the service's messages name an execution: the word and its id, or id and attempt. */
    private static final Pattern EXECUTION = Pattern.compile(
            "\\b(?:execution (?<id>" + ID + ")(?:#(?<attempt>\\d{1,9}))?|(?<fenced>" + ID + ")#(?<run>\\d{1,9}))");

    private static final String OWN_LOGGER_PREFIX = "org.sallyport.";

    /** Called by the Java VM's logging. */
    public JsonFormatter() {}

    @Override
    public String format(LogRecord entry) {
        String message = formatMessage(entry);
        JsonLineWriter line = new JsonLineWriter()
                .text("time", entry.getInstant().truncatedTo(ChronoUnit.MILLIS).toString())
                .text("level", level(entry.getLevel()))
                .text("logger", String.valueOf(entry.getLoggerName()))
                .number("thread", entry.getLongThreadID())
                .text("message", String.valueOf(message));
        if (String.valueOf(entry.getLoggerName()).startsWith(OWN_LOGGER_PREFIX)) {
            addExecution(line, String.valueOf(message));
        }
        Throwable thrown = entry.getThrown();
        if (thrown != null) {
            line.text("error", stack(thrown));
        }
        return line.finish();
    }

    private static void addExecution(JsonLineWriter line, String message) {
        Matcher named = EXECUTION.matcher(message);
        if (!named.find()) {
            return;
        }
        boolean fenced = named.group("fenced") != null;
        String id = named.group(fenced ? "fenced" : "id");
        String attempt = named.group(fenced ? "run" : "attempt");
        line.text("execution", id);
        if (attempt != null) {
            line.number("attempt", Long.parseLong(attempt));
        }
        TraceIdRegistry.find(id).ifPresent(trace -> line.text("trace", trace));
    }

    private static String level(Level level) {
        if (level.intValue() >= Level.SEVERE.intValue()) {
            return "ERROR";
        }
        if (level.intValue() >= Level.WARNING.intValue()) {
            return "WARN";
        }
        return level.intValue() >= Level.CONFIG.intValue() ? "INFO" : "DEBUG";
    }

    private static String stack(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }
}
