package org.sallyport.catalog;

import com.networknt.schema.SchemaException;
import com.networknt.schema.regex.RegularExpression;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A regular expression from an untrusted schema, matched against untrusted text. Matching stops after a bounded number
 * of character reads, because some patterns need exponential time.
 */
final class BoundedRegex implements RegularExpression {
    private static final int MAX_STEPS = 2_000_000;

    private final Pattern pattern;

    /** Throws {@link SchemaException} when the pattern is invalid. */
    BoundedRegex(String pattern) {
        try {
            this.pattern = Pattern.compile(pattern);
        } catch (PatternSyntaxException e) {
            throw new SchemaException("a pattern is not a valid regular expression: " + e.getDescription());
        }
    }

    /** Throws {@link SchemaException} when the bound is exceeded. */
    @Override
    public boolean matches(String text) {
        return pattern.matcher(new CountingCharSequence(text, new int[] {MAX_STEPS}))
                .find();
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
                throw new SchemaException("matching a pattern takes too long");
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
