package org.sallyport.catalog;

import com.networknt.schema.SchemaException;
import com.networknt.schema.regex.RegularExpression;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.sallyport.catalog.pattern.EcmaScriptPattern;
import org.sallyport.catalog.pattern.InvalidPatternException;
import org.sallyport.tool.PlainText;

/**
 * A regular expression by ECMA-262 from an untrusted schema, matched against untrusted text. Matching stops after a
 * bounded number of character reads, because some patterns need exponential time.
 */
final class BoundedRegex implements RegularExpression {
    private static final int MAX_STEPS = 2_000_000;
    private static final int MIN_STEPS = 10_000;

    /** Paths without a read times length of the pattern; a larger product reduces the number of reads. */
    private static final long WORK_OF_A_STEP = 4 * 1024;

    private static final int MAX_SHOWN_LENGTH = 100;

    private final Pattern pattern;
    private final int maxSteps;
    private final boolean countsPlaces;

    /** Throws {@link SchemaException} when the pattern is invalid. */
    BoundedRegex(String pattern) {
        try {
            EcmaScriptPattern translated = EcmaScriptPattern.translate(pattern);
            this.pattern = Pattern.compile(translated.javaPattern());
            long work = translated.emptyMatchPaths() * translated.javaPattern().length() / WORK_OF_A_STEP;
            this.maxSteps = (int) Math.max(MIN_STEPS, MAX_STEPS / Math.max(1, work));
            this.countsPlaces = work > 0 || translated.emptyMatchPaths() > 1;
        } catch (InvalidPatternException e) {
            throw invalid(pattern, String.valueOf(e.getMessage()));
        } catch (PatternSyntaxException e) {
            throw invalid(pattern, "it has no equivalent in Java: " + e.getDescription());
        }
    }

    private static SchemaException invalid(String pattern, String reason) {
        return new SchemaException(
                "the pattern '" + PlainText.singleLine(pattern, MAX_SHOWN_LENGTH) + "' cannot be used: " + reason);
    }

    /** Throws {@link SchemaException} when the bound is exceeded. */
    @Override
    public boolean matches(String text) {
        // Each place of the text is tried, and much work there may not read a character.
        int steps = countsPlaces ? maxSteps - text.length() : maxSteps;
        if (steps < 0) {
            throw takesTooLong();
        }
        return pattern.matcher(new CountingCharSequence(text, new int[] {steps}))
                .find();
    }

    private static SchemaException takesTooLong() {
        return new SchemaException("matching a pattern takes too long");
    }

    /** A text that allows a bounded number of character reads. */
    private record CountingCharSequence(CharSequence text, int[] remainingSteps) implements CharSequence {
        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            if (--remainingSteps[0] < 0) {
                throw takesTooLong();
            }
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new CountingCharSequence(text.subSequence(start, end), remainingSteps);
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
