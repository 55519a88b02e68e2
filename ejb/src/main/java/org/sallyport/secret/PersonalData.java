package org.sallyport.secret;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntBiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.policy.PersonalKind;

/**
 * Finds data about people by how it is written, and by its check digits where it has some. Each look costs time in proportion to
 * the text: a place where something may begin is recognized at once, and nothing is tried twice. Immutable.
 */
public final class PersonalData {
    private static final Map<PersonalKind, Shape> SHAPES = shapes();

    /** Looks for nothing. */
    public static final PersonalData NOTHING = new PersonalData(Set.of());

    private final List<Map.Entry<PersonalKind, Shape>> wanted;

    /**
     * How something is written.
     *
     * @param begins where it may begin
     * @param end where it ends that begins at an index, or -1
     */
    private record Shape(Pattern begins, ToIntBiFunction<String, Matcher> end) {

        /** Of what a pattern tells whole. */
        static Shape of(String pattern) {
            return new Shape(Pattern.compile(pattern), (text, found) -> found.end());
        }
    }

    /**
     * Where something stands.
     *
     * @param end after its last character
     */
    record Found(PersonalKind kind, int start, int end) {
        String shown() {
            return "[" + kind.word() + "]";
        }
    }

    public PersonalData(Set<PersonalKind> kinds) {
        wanted = SHAPES.entrySet().stream()
                .filter(shape -> kinds.contains(shape.getKey()))
                .toList();
    }

    public boolean isEmpty() {
        return wanted.isEmpty();
    }

    /** All that stands in {@code text}, in order; of what overlaps, what begins first. */
    Search search(String text) {
        return new Search(text);
    }

    /** One look through a text. Not thread-safe. */
    final class Search {
        private final String text;
        private final Matcher[] matchers = new Matcher[wanted.size()];
        private final @Nullable Found[] next = new Found[wanted.size()];
        private int done;

        private Search(String text) {
            this.text = text;
            for (int i = 0; i < matchers.length; i++) {
                matchers[i] = wanted.get(i).getValue().begins().matcher(text);
                next[i] = find(i, 0);
            }
        }

        /** The next that stands behind the last; null when there is none. */
        @Nullable Found next() {
            Found first = null;
            for (int i = 0; i < matchers.length; i++) {
                Found candidate = next[i];
                while (candidate != null && candidate.start() < done) {
                    candidate = find(i, done);
                    next[i] = candidate;
                }
                if (candidate != null && (first == null || candidate.start() < first.start())) {
                    first = candidate;
                }
            }
            done = first == null ? text.length() : first.end();
            return first;
        }

        private @Nullable Found find(int which, int from) {
            Matcher matcher = matchers[which];
            Shape shape = wanted.get(which).getValue();
            boolean any = matcher.find(Math.min(from, text.length()));
            while (any) {
                int end = shape.end().applyAsInt(text, matcher);
                if (end > matcher.start()) {
                    return new Found(wanted.get(which).getKey(), matcher.start(), end);
                }
                any = matcher.find();
            }
            return null;
        }
    }

    /** Names and dots behind the sign, the last of two letters or more. */
    private static int mail(String text, Matcher found) {
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

    private static Map<PersonalKind, Shape> shapes() {
        Map<PersonalKind, Shape> shapes = new EnumMap<>(PersonalKind.class);
        shapes.put(
                PersonalKind.EMAIL,
                new Shape(
                        Pattern.compile("(?<![\\p{L}\\p{N}_.%+-])[\\p{L}\\p{N}_.%+-]{1,64}+@(?=[\\p{L}\\p{N}])"),
                        PersonalData::mail));
        shapes.put(
                PersonalKind.IBAN,
                new Shape(Pattern.compile("(?<!\\w)[A-Z]{2}\\d\\d(?= ?[A-Z0-9])"), CheckedNumbers::iban));
        shapes.put(
                PersonalKind.CARD, new Shape(Pattern.compile("(?<![\\w.+-])[2-6](?=[ -]?\\d)"), CheckedNumbers::card));
        shapes.put(
                PersonalKind.NATIONAL_ID,
                new Shape(
                        Pattern.compile("(?<![\\w-])(?!000|666|9\\d\\d)\\d{3}-(?!00)\\d\\d-(?!0000)\\d{4}(?![\\w-])"
                                + "|(?<!\\w)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\\d\\d ?\\d\\d ?\\d\\d ?[A-D](?!\\w)"
                                + "|(?<!\\w)(?<french>[12] ?\\d\\d ?[01]\\d ?\\d\\d ?\\d{3} ?\\d{3} ?\\d\\d)(?!\\w)"
                                + "|(?<!\\w)(?<spanish>\\d{8}-?[A-Z])(?!\\w)"),
                        CheckedNumbers::nationalId));
        shapes.put(
                PersonalKind.PHONE,
                new Shape(
                        Pattern.compile(
                                "(?<![\\w+.-])(?:\\+|00)(?=[1-9])"
                                        + "|(?<![\\w.-])(?<american>(?:\\(\\d{3}\\) ?|\\d{3}[-. ])\\d{3}[-. ]\\d{4})(?![\\w-])"),
                        CheckedNumbers::phone));
        shapes.put(
                PersonalKind.IP,
                new Shape(
                        Pattern.compile(
                                "(?<![\\w.])(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}"
                                        + "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?!\\w|\\.\\d)"
                                        + "|(?<![\\w:.])(?<six>[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:\\.\\d{1,3}){0,3})(?![\\w:])"),
                        CheckedNumbers::ip));
        shapes.put(
                PersonalKind.TOKEN, Shape.of("(?<![\\w-])eyJ[\\w-]{8,8192}+\\.eyJ[\\w-]{8,16384}+\\.[\\w-]{0,4096}+"));
        shapes.put(
                PersonalKind.API_KEY,
                Shape.of("(?<![\\w-])(?:sk-[\\w-]{20,200}+|gh[pousr]_\\w{30,255}+|github_pat_\\w{30,255}+"
                        + "|glpat-[\\w-]{20,64}+|AKIA[0-9A-Z]{16}|xox[abprs]-[\\w-]{10,200}+|AIza[\\w-]{35}"
                        + "|sp_[\\w-]{40,200}+|[rs]k_(?:live|test)_\\w{16,128}+)(?![\\w-])"));
        return shapes;
    }
}
