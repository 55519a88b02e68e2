package org.sallyport.rules;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** What rules ask of a call, read from their JSON. */
final class Conditions {
    private static final Set<String> TESTS =
            Set.of("is", "in", "above", "below", "matches", "contains", "longerThan", "exists");
    private static final int LONGEST_PATTERN = 1_000;

    private Conditions() {}

    static ArgumentTest argument(Fields fields, Place.Numbers places) throws InvalidRulesException {
        List<String> tests = fields.names().stream().filter(TESTS::contains).toList();
        Set<String> known = new java.util.TreeSet<>(TESTS);
        known.add("at");
        known.add("not");
        fields.allow(known);
        if (tests.size() != 1) {
            throw fields.fault("", "must have one of " + String.join(", ", new java.util.TreeSet<>(TESTS)));
        }
        Predicate<JsonNode> test = test(fields, tests.get(0));
        boolean not = fields.truth("not").orElse(false);
        return new ArgumentTest(places.of(pointer(fields, "at")), not ? test.negate() : test);
    }

    static JsonPointer pointer(Fields fields, String name) throws InvalidRulesException {
        try {
            return JsonPointer.compile(fields.text(name)
                    .orElseThrow(() -> fields.fault(name, "is missing: a JSON pointer such as /to or /items/0/price")));
        } catch (IllegalArgumentException e) {
            throw fields.fault(name, "is no JSON pointer; these look like /to or /items/0/price");
        }
    }

    private static Predicate<JsonNode> test(Fields fields, String name) throws InvalidRulesException {
        return switch (name) {
            case "is" -> ArgumentTest.oneOf(List.of(fields.value(name).orElseThrow()));
            case "in" -> ArgumentTest.oneOf(values(fields, name));
            case "above" -> {
                BigDecimal limit = fields.number(name);
                yield ArgumentTest.number(value -> value.compareTo(limit) > 0);
            }
            case "below" -> {
                BigDecimal limit = fields.number(name);
                yield ArgumentTest.number(value -> value.compareTo(limit) < 0);
            }
            case "longerThan" -> {
                long most = fields.whole(name, 0, Integer.MAX_VALUE).orElse(0);
                yield value -> value.isTextual()
                        ? value.textValue().length() > most
                        : value.isContainerNode() && value.size() > most;
            }
            case "contains" -> {
                String part = fields.text(name).orElse("");
                yield ArgumentTest.text(value -> value.contains(part));
            }
            case "matches" -> {
                Pattern pattern = pattern(fields, name);
                String start = PatternStart.of(pattern.pattern());
                yield ArgumentTest.text(value ->
                        value.startsWith(start) && pattern.matcher(value).find());
            }
            default -> {
                boolean there = fields.truth(name).orElse(true);
                yield value -> value.isMissingNode() != there;
            }
        };
    }

    /** An engine that takes linear time for every pattern and every text. */
    private static Pattern pattern(Fields fields, String name) throws InvalidRulesException {
        String pattern = fields.text(name).orElse("");
        if (pattern.length() > LONGEST_PATTERN) {
            throw fields.fault(name, "must have at most " + LONGEST_PATTERN + " characters");
        }
        try {
            return Pattern.compile(pattern);
        } catch (PatternSyntaxException e) {
            throw fields.fault(name, "is no regular expression: " + e.getDescription());
        }
    }

    private static List<JsonNode> values(Fields fields, String name) throws InvalidRulesException {
        List<JsonNode> values = new ArrayList<>();
        Optional<JsonNode> given = fields.value(name);
        if (given.isEmpty() || !given.get().isArray() || given.get().isEmpty()) {
            throw fields.fault(name, "must be an array of values");
        }
        given.get().forEach(values::add);
        return values;
    }

    static Rule.HintTest hints(Fields fields) throws InvalidRulesException {
        fields.allow(Set.of("readOnly", "idempotent", "destructive"));
        return new Rule.HintTest(
                fields.truth("readOnly").orElse(null),
                fields.truth("idempotent").orElse(null),
                fields.truth("destructive").orElse(null));
    }

    static Hours hours(Fields fields) throws InvalidRulesException {
        fields.allow(Set.of("from", "until", "days", "zone"));
        Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
        for (String day : fields.texts("days")) {
            days.add(day(fields, day));
        }
        try {
            return new Hours(
                    LocalTime.parse(fields.text("from").orElse("00:00")),
                    LocalTime.parse(fields.text("until").orElse("00:00")),
                    days.isEmpty() ? EnumSet.allOf(DayOfWeek.class) : days,
                    ZoneId.of(fields.text("zone").orElse("UTC")));
        } catch (DateTimeException e) {
            throw fields.fault("", "must have from and until such as \"08:30\" and a zone such as \"Europe/Vienna\"");
        }
    }

    private static DayOfWeek day(Fields fields, String text) throws InvalidRulesException {
        String start = text.toUpperCase(Locale.ROOT);
        for (DayOfWeek day : DayOfWeek.values()) {
            if (start.length() >= 2 && day.name().startsWith(start)) {
                return day;
            }
        }
        throw fields.fault("days", "must name days such as \"mon\"");
    }
}
