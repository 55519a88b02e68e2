package org.sallyport.cli.local;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Extracts the lines of a log that explain a failed start. */
final class LogExcerpt {
    private static final int MAX_LINES = 15;
    /** A log record begins with its time. Lines without a time belong to the record before them. */
    private static final Pattern RECORD_START = Pattern.compile("(\\[|\\{\"time\":\")?\\d{4}-\\d\\d-\\d\\d[T ].*");

    private static final Pattern SEVERE_RECORD = Pattern.compile(".*\\b(SEVERE|ERROR|FATAL)\\b.*");
    private static final Pattern STACK_FRAME =
            Pattern.compile("\\s+at [\\w.$/@]+\\(.*|\\s+\\.\\.\\. \\d+ .*|\\s*(\\]\\]|\\[\\[)?");
    private static final Pattern COLOR_CODE = Pattern.compile("\u001b\\[[0-9;]*m");

    private LogExcerpt() {}

    /** Returns the first severe records without stack frames, or the last lines if there are none. At most 15 lines. */
    static List<String> extract(List<String> log) {
        List<String> alarms = new ArrayList<>();
        boolean severe = false;
        for (String coloured : log) {
            String line = COLOR_CODE.matcher(coloured).replaceAll("");
            if (RECORD_START.matcher(line).matches()) {
                severe = SEVERE_RECORD.matcher(line).matches();
            }
            if (severe && !STACK_FRAME.matcher(line).matches() && !alarms.contains(line)) {
                alarms.add(line);
            }
        }
        if (alarms.isEmpty()) {
            List<String> lines = log.stream()
                    .filter(line -> !STACK_FRAME.matcher(line).matches())
                    .toList();
            return List.copyOf(lines.subList(Math.max(0, lines.size() - MAX_LINES), lines.size()));
        }
        return List.copyOf(alarms.subList(0, Math.min(MAX_LINES, alarms.size())));
    }
}
