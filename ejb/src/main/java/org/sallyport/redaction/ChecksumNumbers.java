package org.sallyport.redaction;

import java.util.Map;
import java.util.regex.Matcher;

/**
 * Recognizes numbers by their check digits or their length. Each method takes the text and a possible start, and
 * returns the index after the last character, or -1 when there is no such number.
 */
final class ChecksumNumbers {
    private static final int NOT_FOUND = -1;
    private static final int MAX_CARD_DIGITS = 19;
    private static final int MIN_CARD_DIGITS = 13;
    private static final int MAX_PHONE_DIGITS = 15;
    private static final int MIN_PHONE_DIGITS = 8;
    private static final String SPANISH_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE";

    /** Length of an account number by ISO 3166 country code, from the registry of ISO 13616. */
    private static final Map<String, Integer> IBAN_LENGTHS = Map.ofEntries(
            Map.entry("AD", 24),
            Map.entry("AE", 23),
            Map.entry("AT", 20),
            Map.entry("BE", 16),
            Map.entry("BG", 22),
            Map.entry("CH", 21),
            Map.entry("CY", 28),
            Map.entry("CZ", 24),
            Map.entry("DE", 22),
            Map.entry("DK", 18),
            Map.entry("EE", 20),
            Map.entry("ES", 24),
            Map.entry("FI", 18),
            Map.entry("FR", 27),
            Map.entry("GB", 22),
            Map.entry("GR", 27),
            Map.entry("HR", 21),
            Map.entry("HU", 28),
            Map.entry("IE", 22),
            Map.entry("IL", 23),
            Map.entry("IS", 26),
            Map.entry("IT", 27),
            Map.entry("LI", 21),
            Map.entry("LT", 20),
            Map.entry("LU", 20),
            Map.entry("LV", 21),
            Map.entry("MC", 27),
            Map.entry("MT", 31),
            Map.entry("NL", 18),
            Map.entry("NO", 15),
            Map.entry("PL", 28),
            Map.entry("PT", 25),
            Map.entry("RO", 24),
            Map.entry("SA", 24),
            Map.entry("SE", 24),
            Map.entry("SI", 19),
            Map.entry("SK", 24),
            Map.entry("SM", 27),
            Map.entry("TR", 26),
            Map.entry("UA", 29));

    private ChecksumNumbers() {}

    static int endOfIban(String text, Matcher found) {
        int start = found.start();
        int length = IBAN_LENGTHS.getOrDefault(text.substring(start, start + 2), 0);
        StringBuilder number = new StringBuilder();
        int at = start;
        while (at < text.length() && number.length() < length) {
            char c = text.charAt(at);
            boolean part = isDigit(c) || (c >= 'A' && c <= 'Z');
            if (!part && (c != ' ' || text.charAt(at - 1) == ' ')) {
                return NOT_FOUND;
            }
            if (part) {
                number.append(c);
            }
            at++;
        }
        boolean whole = number.length() == length && length > 0 && !continuesWord(text, at);
        return whole && remainder97(number) == 1 ? at : NOT_FOUND;
    }

    /** Remainder of ISO 7064: each letter counts as two digits, and the first four characters come last. */
    private static int remainder97(StringBuilder number) {
        int remainder = 0;
        for (int i = 0; i < number.length(); i++) {
            char c = number.charAt((i + 4) % number.length());
            remainder = isDigit(c) ? (remainder * 10 + (c - '0')) % 97 : (remainder * 100 + (c - 'A' + 10)) % 97;
        }
        return remainder;
    }

    /** Takes the longest sequence of digit groups that is a card number, because other numbers may follow. */
    static int endOfCard(String text, Matcher found) {
        StringBuilder digits = new StringBuilder();
        int end = NOT_FOUND;
        for (int at = found.start(); at < text.length() && digits.length() < MAX_CARD_DIGITS; at++) {
            char c = text.charAt(at);
            boolean between = (c == ' ' || c == '-') && at + 1 < text.length() && isDigit(text.charAt(at + 1));
            if (!isDigit(c) && !between) {
                break;
            }
            if (isDigit(c)) {
                digits.append(c);
            }
            boolean groupEnds = isDigit(c) && !continuesWord(text, at + 1);
            if (groupEnds
                    && digits.length() >= MIN_CARD_DIGITS
                    && isLuhn(digits)
                    && digits.chars().distinct().count() > 1) {
                end = at + 1;
            }
        }
        return end;
    }

    private static boolean isLuhn(StringBuilder digits) {
        int sum = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(digits.length() - 1 - i) - '0';
            int twice = digit * 2;
            sum += i % 2 == 0 ? digit : twice > 9 ? twice - 9 : twice;
        }
        return sum % 10 == 0;
    }

    static int endOfPhone(String text, Matcher found) {
        if (found.group("american") != null) {
            return found.end();
        }
        int digits = 0;
        int end = NOT_FOUND;
        boolean separated = false;
        for (int at = found.end(); at < text.length() && digits < MAX_PHONE_DIGITS; at++) {
            char c = text.charAt(at);
            boolean bracket = c == '(' || c == ')';
            if (!isDigit(c) && !bracket && (separated || " ./-".indexOf(c) < 0)) {
                break;
            }
            digits += isDigit(c) ? 1 : 0;
            separated = !isDigit(c) && (separated || !bracket);
            if (isDigit(c) && digits >= MIN_PHONE_DIGITS && !continuesWord(text, at + 1)) {
                end = at + 1;
            }
        }
        return end;
    }

    static int endOfNationalId(String text, Matcher found) {
        String french = found.group("french");
        String spanish = found.group("spanish");
        if (french != null) {
            String digits = french.replace(" ", "");
            long number = Long.parseLong(digits.substring(0, 13));
            return 97 - number % 97 == Integer.parseInt(digits.substring(13)) ? found.end() : NOT_FOUND;
        } else if (spanish != null) {
            int number = Integer.parseInt(spanish.substring(0, 8));
            return SPANISH_LETTERS.charAt(number % 23) == spanish.charAt(spanish.length() - 1)
                    ? found.end()
                    : NOT_FOUND;
        }
        return found.end();
    }

    static int endOfIp(String text, Matcher found) {
        String whole = found.group("six");
        if (whole == null) {
            return found.end();
        }
        String six = whole.split("\\.", 2)[0];
        int groups = six.split(":", -1).length;
        int gap = six.indexOf("::");
        boolean ends = (six.startsWith(":") && gap != 0) || (six.endsWith(":") && !six.endsWith("::"));
        boolean gapped = gap >= 0 && six.indexOf("::", gap + 1) < 0 && six.length() > 4;
        return !ends && (gapped || (gap < 0 && groups == 8)) ? found.end() : NOT_FOUND;
    }

    private static boolean continuesWord(String text, int at) {
        return at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
