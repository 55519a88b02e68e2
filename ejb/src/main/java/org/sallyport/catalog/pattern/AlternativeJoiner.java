package org.sallyport.catalog.pattern;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Joins the alternatives of a pattern. Java needs some stack for each turn of a repeated group with alternatives, and
 * none for each turn of a repeated character. So alternatives of one character become one class, and a group with
 * others gets a form of its repetition in which the characters are repeated by themselves.
 */
final class AlternativeJoiner {
    /** Java calls one predicate within another for each part of a class. */
    private static final int MAX_MERGED = 64;

    private AlternativeJoiner() {}

    /** Joins alternatives in their order. */
    static PatternPart join(List<PatternPart> alternatives) {
        if (alternatives.size() == 1) {
            return alternatives.get(0);
        }
        PatternPart all = alternatives.stream().reduce(PatternPart::or).orElseThrow();
        return all.withText(alternatives.stream().map(PatternPart::text).collect(Collectors.joining("|")));
    }

    /** Joins alternatives in a form that finds the same texts; groups of it may match other parts of them. */
    static PatternPart merge(List<PatternPart> alternatives) {
        List<PatternPart> characters =
                alternatives.stream().filter(PatternPart::isCharacter).toList();
        List<PatternPart> others =
                alternatives.stream().filter(part -> !part.isCharacter()).toList();
        if (alternatives.size() == 1 || characters.isEmpty() || characters.size() > MAX_MERGED) {
            return join(alternatives);
        }
        PatternPart character = characters.size() == 1
                ? characters.get(0)
                : PatternPart.character(
                        characters.stream().map(PatternPart::text).collect(Collectors.joining("", "[", "]")));
        if (others.isEmpty()) {
            return character;
        }
        PatternPart rest = join(others);
        return rest.emptyPaths() > 0
                ? join(alternatives)
                : join(List.of(character, rest)).withStar(star(character, rest));
    }

    /** Returns {@code x*(?:rx*)*}, which finds the texts of {@code (?:x|r)*} in as many ways. */
    private static String star(PatternPart character, PatternPart rest) {
        String characters = character.text() + "*";
        return characters + "(?:(?:" + rest.text() + ")" + characters + ")*";
    }
}
