package org.sallyport.catalog.pattern;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.sallyport.tool.PlainText;

/** The properties of {@code \p{…}} by their names in ECMA-262, as character classes of Java. */
final class UnicodeProperties {
    private static final Map<String, String> CATEGORIES = categories();
    private static final Map<String, ClassEscape> BINARY = binaryProperties();
    private static final Pattern SCRIPT_NAME = Pattern.compile("[A-Z][A-Za-z]*(?:_[A-Z][A-Za-z]*)*");
    private static final Set<String> SCRIPT_MEMBERS = Set.of("Script", "sc");
    private static final Set<String> CATEGORY_MEMBERS = Set.of("General_Category", "gc");

    private static final int MAX_SHOWN_LENGTH = 60;

    private UnicodeProperties() {}

    /**
     * Returns the code points with a property.
     *
     * @param name the text between the braces, such as {@code Letter} or {@code Script=Greek}
     * @param negated whether the code points without the property are meant
     */
    static ClassEscape find(String name, boolean negated) {
        int equals = name.indexOf('=');
        if (equals >= 0) {
            return findValue(name.substring(0, equals), name.substring(equals + 1), negated);
        }
        String category = CATEGORIES.get(name);
        if (category != null) {
            return java(category, negated);
        }
        ClassEscape binary = BINARY.get(name);
        if (binary == null) {
            throw unknown(name);
        }
        if (binary.javaItems().isEmpty()) {
            return negated ? ClassEscape.of(binary.ranges().complement()) : binary;
        }
        return negated ? ClassEscape.ofJava("[^" + binary.javaItems() + "]") : binary;
    }

    private static ClassEscape findValue(String property, String value, boolean negated) {
        if (CATEGORY_MEMBERS.contains(property)) {
            String category = CATEGORIES.get(value);
            if (category == null) {
                throw unknown(property + "=" + value);
            }
            return java(category, negated);
        }
        if (!SCRIPT_MEMBERS.contains(property) || !SCRIPT_NAME.matcher(value).matches()) {
            throw unknown(property + "=" + value);
        }
        try {
            return java("sc=" + Character.UnicodeScript.forName(value), negated);
        } catch (IllegalArgumentException e) {
            throw unknown(property + "=" + value);
        }
    }

    private static ClassEscape java(String property, boolean negated) {
        return ClassEscape.ofJava((negated ? "\\P{" : "\\p{") + property + "}");
    }

    private static InvalidPatternException unknown(String name) {
        return InvalidPatternException.unsupported(
                "the Unicode property '" + PlainText.singleLine(name, MAX_SHOWN_LENGTH) + "' is not known");
    }

    private static Map<String, String> categories() {
        Map<String, String> categories = new HashMap<>();
        String names = """
                C Other,Cc Control cntrl,Cf Format,Cn Unassigned,Co Private_Use,Cs Surrogate,L Letter,LC Cased_Letter,\
                Ll Lowercase_Letter,Lm Modifier_Letter,Lo Other_Letter,Lt Titlecase_Letter,Lu Uppercase_Letter,\
                M Mark Combining_Mark,Mc Spacing_Mark,Me Enclosing_Mark,Mn Nonspacing_Mark,N Number,\
                Nd Decimal_Number digit,Nl Letter_Number,No Other_Number,P Punctuation punct,Pc Connector_Punctuation,\
                Pd Dash_Punctuation,Pe Close_Punctuation,Pf Final_Punctuation,Pi Initial_Punctuation,\
                Po Other_Punctuation,Ps Open_Punctuation,S Symbol,Sc Currency_Symbol,Sk Modifier_Symbol,Sm Math_Symbol,\
                So Other_Symbol,Z Separator,Zl Line_Separator,Zp Paragraph_Separator,Zs Space_Separator""";
        for (String line : names.split(",", -1)) {
            String[] aliases = line.split(" ", -1);
            Arrays.stream(aliases).forEach(alias -> categories.put(alias, aliases[0]));
        }
        return Map.copyOf(categories);
    }

    private static Map<String, ClassEscape> binaryProperties() {
        Map<String, ClassEscape> all = new HashMap<>();
        put(all, ClassEscape.of(CodePointRanges.ALL), "Any");
        put(all, ClassEscape.of(CodePointRanges.of(0, 0x7f)), "ASCII");
        put(all, ClassEscape.of(CodePointRanges.of('0', '9', 'A', 'F', 'a', 'f')), "ASCII_Hex_Digit", "AHex");
        CodePointRanges hexDigits =
                CodePointRanges.of('0', '9', 'A', 'F', 'a', 'f', 0xff10, 0xff19, 0xff21, 0xff26, 0xff41, 0xff46);
        put(all, ClassEscape.of(hexDigits), "Hex_Digit", "Hex");
        put(all, ClassEscape.of(CodePointRanges.of(0x200c, 0x200d)), "Join_Control", "Join_C");
        put(all, ClassEscape.of(CodePointRanges.of(0x1f1e6, 0x1f1ff)), "Regional_Indicator", "RI");
        put(all, ClassEscape.of(CodePointRanges.of(0x1f3fb, 0x1f3ff)), "Emoji_Modifier", "EMod");
        CodePointRanges emojiComponents = CodePointRanges.of(
                '#', '#', '*', '*', '0', '9', 0x200d, 0x200d, 0x20e3, 0x20e3, 0xfe0f, 0xfe0f, 0x1f1e6, 0x1f1ff, 0x1f3fb,
                0x1f3ff, 0x1f9b0, 0x1f9b3, 0xe0020, 0xe007f);
        put(all, ClassEscape.of(emojiComponents), "Emoji_Component", "EComp");
        put(all, ClassEscape.ofJava("\\P{Cn}"), "Assigned");
        put(all, ClassEscape.ofJava("\\p{IsAlphabetic}"), "Alphabetic", "Alpha");
        put(all, ClassEscape.ofJava("\\p{IsIdeographic}"), "Ideographic", "Ideo");
        put(all, ClassEscape.ofJava("\\p{IsLowercase}"), "Lowercase", "Lower");
        put(all, ClassEscape.ofJava("\\p{IsUppercase}"), "Uppercase", "Upper");
        put(all, ClassEscape.ofJava("\\p{IsWhite_Space}"), "White_Space", "space");
        put(all, ClassEscape.ofJava("\\p{IsNoncharacter_Code_Point}"), "Noncharacter_Code_Point", "NChar");
        put(all, ClassEscape.ofJava("\\p{javaUnicodeIdentifierStart}"), "ID_Start", "IDS");
        put(
                all,
                ClassEscape.ofJava("[\\p{javaUnicodeIdentifierPart}&&[^\\p{javaIdentifierIgnorable}]]"),
                "ID_Continue",
                "IDC");
        Map<String, CodePointRanges> emoji = readEmoji();
        putEmoji(all, emoji, "Emoji");
        putEmoji(all, emoji, "Emoji_Presentation", "EPres");
        putEmoji(all, emoji, "Emoji_Modifier_Base", "EBase");
        putEmoji(all, emoji, "Extended_Pictographic", "ExtPict");
        return Map.copyOf(all);
    }

    private static void put(Map<String, ClassEscape> all, ClassEscape set, String... names) {
        Arrays.stream(names).forEach(name -> all.put(name, set));
    }

    private static void putEmoji(
            Map<String, ClassEscape> all, Map<String, CodePointRanges> emoji, String name, String... aliases) {
        ClassEscape set = ClassEscape.of(Objects.requireNonNull(emoji.get(name)));
        put(all, set, name);
        put(all, set, aliases);
    }

    private static Map<String, CodePointRanges> readEmoji() {
        Map<String, CodePointRanges> sets = new HashMap<>();
        try (InputStream file =
                Objects.requireNonNull(UnicodeProperties.class.getResourceAsStream("emoji-properties.txt"))) {
            new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" ", -1))
                    .forEach(words -> sets.put(
                            words[0],
                            CodePointRanges.of(Arrays.stream(words)
                                    .skip(1)
                                    .flatMapToInt(UnicodeProperties::bounds)
                                    .toArray())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sets;
    }

    private static IntStream bounds(String range) {
        int hyphen = range.indexOf('-');
        int first = Integer.parseInt(hyphen < 0 ? range : range.substring(0, hyphen), 16);
        int last = hyphen < 0 ? first : Integer.parseInt(range.substring(hyphen + 1), 16);
        return IntStream.of(first, last);
    }
}
