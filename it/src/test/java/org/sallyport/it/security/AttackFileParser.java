package org.sallyport.it.security;

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
import org.sallyport.it.harness.TestJson;

/**
 * Parses a text file of cases that are scripts:
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
 * <p>A case may have the fields {@code expect} (alternatives separated by {@code |}), {@code result} (JSON; a repeated
 * field gives alternatives), {@code seen} and {@code unseen} (texts), {@code modes}, {@code pace}, {@code alone},
 * {@code mentions} (separated by spaces), {@code open}, {@code remark} (in place of a script), and those of {@link
 * ScriptAttack}. In a script <code>{{1000*text}}</code> repeats the text a thousand times.
 */
final class AttackFileParser {
    private static final Pattern HEADER = Pattern.compile("=== (\\S+) (.+)");
    private static final Pattern REPEATED_TEXT = Pattern.compile("\\{\\{(\\d+)\\*(.*?)}}", Pattern.DOTALL);

    private AttackFileParser() {}

    /** Reads the cases of a resource in this package. */
    static List<AttackCase> read(String name) {
        try (InputStream stream = AttackFileParser.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new AssertionError("there is no " + name);
            }
            return parseCases(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<AttackCase> parseCases(String text) {
        List<AttackCase> rows = new ArrayList<>();
        for (String part : text.split("(?m)^(?==== )", -1)) {
            if (!part.isBlank() && !part.startsWith("#")) {
                rows.add(parseCase(part));
            }
        }
        return rows;
    }

    private static AttackCase parseCase(String part) {
        Matcher head = HEADER.matcher(part);
        if (!head.lookingAt()) {
            throw new AssertionError("not the head of a row: " + part.lines().findFirst());
        }
        int divide = part.indexOf("\n---\n");
        AttackFileFields members = AttackFileFields.of(part.substring(head.end(), divide < 0 ? part.length() : divide));
        String remark = members.remove("remark").orElse("");
        AttackExpectation expected = parseExpectation(members);
        AttackCase row = remark.isEmpty()
                ? AttackCase.of(
                        head.group(1),
                        head.group(2),
                        expected,
                        ScriptAttack.of(expandRepeats(part.substring(divide + 5)), members))
                : AttackCase.documentedOnly(head.group(1), head.group(2), remark);
        Optional<String> mode = members.remove("modes");
        row = mode.isPresent() ? row.onlyIn(SandboxMode.valueOf(mode.get().toUpperCase(java.util.Locale.ROOT))) : row;
        row = members.remove("pace").filter("slow"::equals).isPresent() ? row.asSlow() : row;
        row = members.remove("alone").isPresent() ? row.asExclusive() : row;
        row = row.withAllowedWords(members.remove("mentions").orElse("").split(" "));
        row = members.remove("open").map(row::knownIssue).orElse(row);
        members.requireEmpty(row.id());
        return row;
    }

    private static AttackExpectation parseExpectation(AttackFileFields members) {
        AttackExpectation expected = members.remove("expect")
                .map(outcomes -> AttackExpectation.outcome(outcomes.split(" \\| ", -1)))
                .orElse(AttackExpectation.outcome("COMPLETED"));
        List<String> results = members.removeAll("result");
        if (!results.isEmpty()) {
            expected = expected.and(
                    sighting -> results.stream().map(TestJson::read).anyMatch(sighting.result()::equals)
                            ? Optional.empty()
                            : Optional.of("expected the result " + String.join(" or ", results) + ", got "
                                    + sighting.result()));
        }
        for (String text : members.removeAll("seen")) {
            expected = expected.and(sighting ->
                    sighting.visibleText().contains(text) ? Optional.empty() : Optional.of("expected to see " + text));
        }
        for (String text : members.removeAll("unseen")) {
            expected = expected.and(sighting -> sighting.visibleText().contains(text)
                    ? Optional.of("expected not to see " + text)
                    : Optional.empty());
        }
        return expected;
    }

    private static String expandRepeats(String code) {
        return REPEATED_TEXT
                .matcher(code)
                .replaceAll(found -> Matcher.quoteReplacement(found.group(2).repeat(Integer.parseInt(found.group(1)))))
                .stripTrailing();
    }

    /** The fields above a script. */
    static final class AttackFileFields {
        private record AttackFileField(String name, String value) {}

        private final List<AttackFileField> fields;

        private AttackFileFields(List<AttackFileField> members) {
            this.fields = members;
        }

        static AttackFileFields of(String lines) {
            Stream<AttackFileField> members = lines.lines()
                    .filter(line -> !line.isBlank())
                    .map(line -> {
                        int colon = line.indexOf(": ");
                        if (colon < 0) {
                            throw new AssertionError("not a member: " + line);
                        }
                        return new AttackFileField(line.substring(0, colon), line.substring(colon + 2));
                    });
            return new AttackFileFields(new ArrayList<>(members.toList()));
        }

        Optional<String> remove(String name) {
            return removeAll(name).stream().findFirst();
        }

        List<String> removeAll(String name) {
            List<String> found = fields.stream()
                    .filter(member -> member.name().equals(name))
                    .map(AttackFileField::value)
                    .toList();
            fields.removeIf(member -> member.name().equals(name));
            return found;
        }

        private void requireEmpty(String row) {
            if (!fields.isEmpty()) {
                throw new AssertionError("row " + row + " has unknown members " + fields);
            }
        }
    }
}
