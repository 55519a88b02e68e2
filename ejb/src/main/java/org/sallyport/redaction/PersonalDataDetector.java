package org.sallyport.redaction;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntBiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.policy.PersonalDataType;

/**
 * Finds personal data by its notation, and by its check digits where it has some. A search takes time proportional to
 * the text, because possible starts are recognized directly and no place is tried twice. Immutable.
 */
public final class PersonalDataDetector {
    private static final Map<PersonalDataType, PersonalDataPattern> PATTERNS = createPatterns();

    /** Finds nothing. */
    public static final PersonalDataDetector NONE = new PersonalDataDetector(Set.of());

    private final List<Map.Entry<PersonalDataType, PersonalDataPattern>> patterns;

    /**
     * Notation of a type of personal data.
     *
     * @param start matches a possible start
     * @param endFinder returns the end of the data that starts at an index, or -1
     */
    private record PersonalDataPattern(Pattern start, ToIntBiFunction<String, Matcher> endFinder) {

        /** Creates a pattern that a regular expression describes completely. */
        static PersonalDataPattern of(String pattern) {
            return new PersonalDataPattern(Pattern.compile(pattern), (text, found) -> found.end());
        }
    }

    /**
     * A match.
     *
     * @param end index after the last character
     */
    record PersonalDataMatch(PersonalDataType kind, int start, int end) {
        String placeholder() {
            return "[" + kind.label() + "]";
        }
    }

    public PersonalDataDetector(Set<PersonalDataType> kinds) {
        patterns = PATTERNS.entrySet().stream()
                .filter(shape -> kinds.contains(shape.getKey()))
                .toList();
    }

    public boolean isEmpty() {
        return patterns.isEmpty();
    }

    /** Finds all matches in {@code text}, in order. Of overlapping matches, returns the one that starts first. */
    PersonalDataSearch search(String text) {
        return new PersonalDataSearch(text);
    }

    /** One search in a text. Not thread-safe. */
    final class PersonalDataSearch {
        private final String text;
        private final Matcher[] matchers = new Matcher[patterns.size()];
        private final @Nullable PersonalDataMatch[] candidates = new PersonalDataMatch[patterns.size()];
        private int position;

        private PersonalDataSearch(String text) {
            this.text = text;
            for (int i = 0; i < matchers.length; i++) {
                matchers[i] = patterns.get(i).getValue().start().matcher(text);
                candidates[i] = find(i, 0);
            }
        }

        /** Returns the next match after the last one; null when there is none. */
        @Nullable PersonalDataMatch next() {
            PersonalDataMatch first = null;
            for (int i = 0; i < matchers.length; i++) {
                PersonalDataMatch candidate = candidates[i];
                while (candidate != null && candidate.start() < position) {
                    candidate = find(i, position);
                    candidates[i] = candidate;
                }
                if (candidate != null && (first == null || candidate.start() < first.start())) {
                    first = candidate;
                }
            }
            position = first == null ? text.length() : first.end();
            return first;
        }

        private @Nullable PersonalDataMatch find(int which, int from) {
            Matcher matcher = matchers[which];
            PersonalDataPattern shape = patterns.get(which).getValue();
            boolean any = matcher.find(Math.min(from, text.length()));
            while (any) {
                int end = shape.endFinder().applyAsInt(text, matcher);
                if (end > matcher.start()) {
                    return new PersonalDataMatch(patterns.get(which).getKey(), matcher.start(), end);
                }
                any = matcher.find();
            }
            return null;
        }
    }

    /** Accepts labels and dots after the at sign; the last label has two letters or more. */
    private static int endOfEmail(String text, Matcher found) {
        int end = -1;
        int label = found.end();
        for (int at = found.end(); at <= text.length(); at++) {
            char c = at < text.length() ? text.charAt(at) : ' ';
            if (c == '-' || Character.isLetterOrDigit(c)) {
                continue;
            }
            boolean letters = text.substring(label, at).chars().allMatch(Character::isLetter);
            if (label > found.end() && at - label >= 2 && letters) {
                end = at;
            }
            if (c != '.' || at == label) {
                break;
            }
            label = at + 1;
        }
        return end;
    }

    private static Map<PersonalDataType, PersonalDataPattern> createPatterns() {
        Map<PersonalDataType, PersonalDataPattern> shapes = new EnumMap<>(PersonalDataType.class);
        shapes.put(
                PersonalDataType.EMAIL,
                new PersonalDataPattern(
                        Pattern.compile("(?<![\\p{L}\\p{N}_.%+-])[\\p{L}\\p{N}_.%+-]{1,64}+@(?=[\\p{L}\\p{N}])"),
                        PersonalDataDetector::endOfEmail));
        shapes.put(
                PersonalDataType.IBAN,
                new PersonalDataPattern(
                        Pattern.compile("(?<!\\w)[A-Z]{2}\\d\\d(?= ?[A-Z0-9])"), ChecksumNumbers::endOfIban));
        shapes.put(
                PersonalDataType.CARD,
                new PersonalDataPattern(Pattern.compile("(?<![\\w.+-])[2-6](?=[ -]?\\d)"), ChecksumNumbers::endOfCard));
        shapes.put(
                PersonalDataType.NATIONAL_ID,
                new PersonalDataPattern(
                        Pattern.compile("(?<![\\w-])(?!000|666|9\\d\\d)\\d{3}-(?!00)\\d\\d-(?!0000)\\d{4}(?![\\w-])"
                                + "|(?<!\\w)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\\d\\d ?\\d\\d ?\\d\\d ?[A-D](?!\\w)"
                                + "|(?<!\\w)(?<french>[12] ?\\d\\d ?[01]\\d ?\\d\\d ?\\d{3} ?\\d{3} ?\\d\\d)(?!\\w)"
                                + "|(?<!\\w)(?<spanish>\\d{8}-?[A-Z])(?!\\w)"),
                        ChecksumNumbers::endOfNationalId));
        shapes.put(
                PersonalDataType.PHONE,
                new PersonalDataPattern(
                        Pattern.compile("(?<![\\w+.-])(?:\\+|00)(?=[1-9])"
                                + "|(?<![\\w.-])(?<american>(?:\\(\\d{3}\\) ?|\\d{3}[-. ])\\d{3}[-. "
                                + "]\\d{4})(?![\\w-])"),
                        ChecksumNumbers::endOfPhone));
        shapes.put(
                PersonalDataType.IP,
                new PersonalDataPattern(
                        Pattern.compile("(?<![\\w.])(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}"
                                + "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?!\\w|\\.\\d)"
                                + "|(?<![\\w:.])(?<six>[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:\\.\\d{1,"
                                + "3}){0,3})(?![\\w:])"),
                        ChecksumNumbers::endOfIp));
        shapes.put(
                PersonalDataType.TOKEN,
                PersonalDataPattern.of("(?<![\\w-])eyJ[\\w-]{8,8192}+\\.eyJ[\\w-]{8,16384}+\\.[\\w-]{0,4096}+"));
        shapes.put(
                PersonalDataType.API_KEY,
                PersonalDataPattern.of("(?<![\\w-])(?:sk-[\\w-]{20,200}+|gh[pousr]_\\w{30,255}+|github_pat_\\w{30,255}+"
                        + "|glpat-[\\w-]{20,64}+|AKIA[0-9A-Z]{16}|xox[abprs]-[\\w-]{10,200}+|AIza[\\w-]{35}"
                        + "|sp_[\\w-]{40,200}+|[rs]k_(?:live|test)_\\w{16,128}+)(?![\\w-])"));
        return shapes;
    }
}
