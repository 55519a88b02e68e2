package org.sallyport.it.hostile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.sallyport.it.harness.Json;

/**
 * Rows that are scripts, one after the other in a text file:
 *
 * <pre>
 * === B01 an endless loop
 * expect: TIMED_OUT wall-clock-limit
 * wall: 500
 * alone: yes
 * ---
 * while (true) {}
 * </pre>
 *
 * <p>{@link ScriptAttack} says which members there are besides {@code expect} (several with {@code |} between them), {@code
 * result} (JSON, or several lines of it), {@code seen} and {@code unseen} (texts), {@code modes}, {@code pace}, {@code
 * alone}, {@code mentions} (with blanks between), {@code open} and {@code remark}, which stands in place of a script. In a script
 * <code>{{1000*text}}</code> stands for a thousand times that text.
 */
final class RowFile {
    private static final Pattern HEAD = Pattern.compile("=== (\\S+) (.+)");
    private static final Pattern REPEATED = Pattern.compile("\\{\\{(\\d+)\\*(.*?)}}", Pattern.DOTALL);

    private RowFile() {}

    /** The rows of a file beside this class. */
    static List<Row> read(String name) {
        try (InputStream stream = RowFile.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new AssertionError("there is no " + name);
            }
            return rows(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Row> rows(String text) {
        List<Row> rows = new ArrayList<>();
        for (String part : text.split("(?m)^(?==== )", -1)) {
            if (!part.isBlank() && !part.startsWith("#")) {
                rows.add(row(part));
            }
        }
        return rows;
    }

    private static Row row(String part) {
        Matcher head = HEAD.matcher(part);
        if (!head.lookingAt()) {
            throw new AssertionError("not the head of a row: " + part.lines().findFirst());
        }
        int divide = part.indexOf("\n---\n");
        Members members = Members.of(part.substring(head.end(), divide < 0 ? part.length() : divide));
        String remark = members.take("remark").orElse("");
        Expected expected = expected(members);
        Row row = remark.isEmpty()
                ? Row.of(
                        head.group(1),
                        head.group(2),
                        expected,
                        ScriptAttack.of(expanded(part.substring(divide + 5)), members))
                : Row.remarked(head.group(1), head.group(2), remark);
        Optional<String> mode = members.take("modes");
        row = mode.isPresent() ? row.in(Mode.valueOf(mode.get().toUpperCase(java.util.Locale.ROOT))) : row;
        row = members.take("pace").filter("slow"::equals).isPresent() ? row.slow() : row;
        row = members.take("alone").isPresent() ? row.onItsOwn() : row;
        row = row.mentioning(members.take("mentions").orElse("").split(" "));
        row = members.take("open").map(row::open).orElse(row);
        members.none(row.id());
        return row;
    }

    private static Expected expected(Members members) {
        Expected expected = members.take("expect")
                .map(outcomes -> Expected.outcome(outcomes.split(" \\| ", -1)))
                .orElse(Expected.outcome("COMPLETED"));
        List<String> results = members.all("result");
        if (!results.isEmpty()) {
            expected = expected.and(sighting -> results.stream().map(Json::read).anyMatch(sighting.result()::equals)
                    ? Optional.empty()
                    : Optional.of(
                            "expected the result " + String.join(" or ", results) + ", got " + sighting.result()));
        }
        for (String text : members.all("seen")) {
            expected = expected.and(sighting ->
                    sighting.seen().contains(text) ? Optional.empty() : Optional.of("expected to see " + text));
        }
        for (String text : members.all("unseen")) {
            expected = expected.and(sighting ->
                    sighting.seen().contains(text) ? Optional.of("expected not to see " + text) : Optional.empty());
        }
        return expected;
    }

    private static String expanded(String code) {
        return REPEATED.matcher(code)
                .replaceAll(found -> Matcher.quoteReplacement(found.group(2).repeat(Integer.parseInt(found.group(1)))))
                .stripTrailing();
    }

    /** What stands above a script. */
    static final class Members {
        private record Member(String name, String value) {}

        private final List<Member> members;

        private Members(List<Member> members) {
            this.members = members;
        }

        static Members of(String lines) {
            Stream<Member> members = lines.lines()
                    .filter(line -> !line.isBlank())
                    .map(line -> {
                        int colon = line.indexOf(": ");
                        if (colon < 0) {
                            throw new AssertionError("not a member: " + line);
                        }
                        return new Member(line.substring(0, colon), line.substring(colon + 2));
                    });
            return new Members(new ArrayList<>(members.toList()));
        }

        Optional<String> take(String name) {
            return all(name).stream().findFirst();
        }

        List<String> all(String name) {
            List<String> found = members.stream()
                    .filter(member -> member.name().equals(name))
                    .map(Member::value)
                    .toList();
            members.removeIf(member -> member.name().equals(name));
            return found;
        }

        private void none(String row) {
            if (!members.isEmpty()) {
                throw new AssertionError("row " + row + " has unknown members " + members);
            }
        }
    }
}
