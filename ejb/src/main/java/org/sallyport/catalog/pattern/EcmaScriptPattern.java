package org.sallyport.catalog.pattern;

/**
 * A regular expression by ECMA-262, as JSON Schema uses them, translated to an expression of Java that finds the same
 * texts. It is read in Unicode mode (flag {@code u}) first; if it has a syntax error there, it is read without the flag
 * (Annex B). In both modes a character is a code point.
 *
 * <p>These patterns are refused although ECMA-262 allows them: the property {@code Script_Extensions} and rare
 * properties of Unicode, back references within a look-behind, to a group of one, behind a repetition to a group of
 * it, or to an optional group of a look-around, repetitions within a look-behind that Java cannot bound, groups with
 * flags, more than {@value #MAX_LENGTH} characters, patterns that need a very long text, and patterns that can match
 * the empty text in too many ways.
 *
 * @param javaPattern the expression for {@link java.util.regex.Pattern#compile(String)}
 * @param emptyMatchPaths upper bound of the number of ways in which parts of it match without reading a character
 */
public record EcmaScriptPattern(String javaPattern, long emptyMatchPaths) {
    /** Maximum length of a pattern in characters. */
    public static final int MAX_LENGTH = 20_000;

    /** Translates a pattern; throws {@link InvalidPatternException} if that is not possible. */
    public static EcmaScriptPattern translate(String pattern) {
        if (pattern.length() > MAX_LENGTH) {
            throw InvalidPatternException.unsupported("it has more than " + MAX_LENGTH + " characters");
        }
        try {
            return new PatternTranslator(pattern, true).translate();
        } catch (InvalidPatternException e) {
            if (e.isUnsupported()) {
                throw e;
            }
            return new PatternTranslator(pattern, false).translate();
        }
    }
}
