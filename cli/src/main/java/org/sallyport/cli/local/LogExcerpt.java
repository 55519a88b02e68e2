package org.sallyport.cli.local;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The lines of a log that tell why a start failed, without the pages around them. */
final class LogExcerpt {
    private static final int MOST = 15;
    /** A record of the log begins with its time; what follows without one belongs to it. */
    private static final Pattern RECORD = Pattern.compile("(\\[|\\{\"time\":\")?\\d{4}-\\d\\d-\\d\\d[T ].*");

    private static final Pattern ALARM = Pattern.compile(".*\\b(SEVERE|ERROR|FATAL)\\b.*");
    private static final Pattern FRAME =
            Pattern.compile("\\s+at [\\w.$/@]+\\(.*|\\s+\\.\\.\\. \\d+ .*|\\s*(\\]\\]|\\[\\[)?");
    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

    private LogExcerpt() {}

    /** The first severe records without the frames of their stack traces; if there are none, the last lines. */
    static List<String> of(List<String> log) {
        List<String> alarms = new ArrayList<>();
        boolean severe = false;
        for (String coloured : log) {
            String line = COLOUR.matcher(coloured).replaceAll("");
            if (RECORD.matcher(line).matches()) {
                severe = ALARM.matcher(line).matches();
            }
            if (severe && !FRAME.matcher(line).matches() && !alarms.contains(line)) {
                alarms.add(line);
            }
        }
        if (alarms.isEmpty()) {
            List<String> told =
                    log.stream().filter(line -> !FRAME.matcher(line).matches()).toList();
            return List.copyOf(told.subList(Math.max(0, told.size() - MOST), told.size()));
        }
        return List.copyOf(alarms.subList(0, Math.min(MOST, alarms.size())));
    }
}
