package org.sallyport.policyengine;

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

/** Parses the conditions of rules from JSON. */
final class ConditionParser {
    private static final Set<String> OPERATORS =
            Set.of("is", "in", "above", "below", "matches", "contains", "longerThan", "exists");
    private static final int MAX_PATTERN_LENGTH = 1_000;

    private ConditionParser() {}

    static ArgumentCondition parseArgumentCondition(
            DocumentReader fields, ArgumentLocation.ArgumentLocationRegistry places) throws InvalidPolicyException {
        List<String> tests =
                fields.memberNames().stream().filter(OPERATORS::contains).toList();
        Set<String> known = new java.util.TreeSet<>(OPERATORS);
        known.add("at");
        known.add("not");
        fields.allowOnly(known);
        if (tests.size() != 1) {
            throw fields.invalid("", "must have one of " + String.join(", ", new java.util.TreeSet<>(OPERATORS)));
        }
        Predicate<JsonNode> test = parseTest(fields, tests.get(0));
        boolean not = fields.bool("not").orElse(false);
        return new ArgumentCondition(places.of(parsePointer(fields, "at")), not ? test.negate() : test);
    }

    static JsonPointer parsePointer(DocumentReader fields, String name) throws InvalidPolicyException {
        try {
            return JsonPointer.compile(fields.text(name)
                    .orElseThrow(
                            () -> fields.invalid(name, "is missing: a JSON pointer such as /to or /items/0/price")));
        } catch (IllegalArgumentException e) {
            throw fields.invalid(name, "is not a JSON pointer such as /to or /items/0/price");
        }
    }

    private static Predicate<JsonNode> parseTest(DocumentReader fields, String name) throws InvalidPolicyException {
        return switch (name) {
            case "is" -> ArgumentCondition.oneOf(List.of(fields.value(name).orElseThrow()));
            case "in" -> ArgumentCondition.oneOf(parseValues(fields, name));
            case "above" -> {
                BigDecimal limit = fields.number(name);
                yield ArgumentCondition.number(value -> value.compareTo(limit) > 0);
            }
            case "below" -> {
                BigDecimal limit = fields.number(name);
                yield ArgumentCondition.number(value -> value.compareTo(limit) < 0);
            }
            case "longerThan" -> {
                long maxLength = fields.integer(name, 0, Integer.MAX_VALUE).orElse(0);
                yield value -> value.isTextual()
                        ? value.textValue().length() > maxLength
                        : value.isContainerNode() && value.size() > maxLength;
            }
            case "contains" -> {
                String part = fields.text(name).orElse("");
                yield ArgumentCondition.text(value -> value.contains(part));
            }
            case "matches" -> {
                Pattern pattern = parsePattern(fields, name);
                String start = RegexLiteralPrefix.of(pattern.pattern());
                yield ArgumentCondition.text(value ->
                        value.startsWith(start) && pattern.matcher(value).find());
            }
            default -> {
                boolean there = fields.bool(name).orElse(true);
                yield value -> value.isMissingNode() != there;
            }
        };
    }

    /** The engine takes linear time for every pattern and every text. */
    private static Pattern parsePattern(DocumentReader fields, String name) throws InvalidPolicyException {
        String pattern = fields.text(name).orElse("");
        if (pattern.length() > MAX_PATTERN_LENGTH) {
            throw fields.invalid(name, "must have at most " + MAX_PATTERN_LENGTH + " characters");
        }
        try {
            return Pattern.compile(pattern);
        } catch (PatternSyntaxException e) {
            throw fields.invalid(name, "is not a valid regular expression: " + e.getDescription());
        }
    }

    private static List<JsonNode> parseValues(DocumentReader fields, String name) throws InvalidPolicyException {
        List<JsonNode> values = new ArrayList<>();
        Optional<JsonNode> given = fields.value(name);
        if (given.isEmpty() || !given.get().isArray() || given.get().isEmpty()) {
            throw fields.invalid(name, "must be an array of values");
        }
        given.get().forEach(values::add);
        return values;
    }

    static PolicyRule.HintCondition parseHints(DocumentReader fields) throws InvalidPolicyException {
        fields.allowOnly(Set.of("readOnly", "idempotent", "destructive"));
        return new PolicyRule.HintCondition(
                fields.bool("readOnly").orElse(null),
                fields.bool("idempotent").orElse(null),
                fields.bool("destructive").orElse(null));
    }

    static TimeWindow parseTimeWindow(DocumentReader fields) throws InvalidPolicyException {
        fields.allowOnly(Set.of("from", "until", "days", "zone"));
        Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
        for (String day : fields.textList("days")) {
            days.add(parseDay(fields, day));
        }
        try {
            return new TimeWindow(
                    LocalTime.parse(fields.text("from").orElse("00:00")),
                    LocalTime.parse(fields.text("until").orElse("00:00")),
                    days.isEmpty() ? EnumSet.allOf(DayOfWeek.class) : days,
                    ZoneId.of(fields.text("zone").orElse("UTC")));
        } catch (DateTimeException e) {
            throw fields.invalid("", "must have from and until such as \"08:30\" and a zone such as \"Europe/Vienna\"");
        }
    }

    private static DayOfWeek parseDay(DocumentReader fields, String text) throws InvalidPolicyException {
        String start = text.toUpperCase(Locale.ROOT);
        for (DayOfWeek day : DayOfWeek.values()) {
            if (start.length() >= 2 && day.name().startsWith(start)) {
                return day;
            }
        }
        throw fields.invalid("days", "must name days such as \"mon\"");
    }
}
