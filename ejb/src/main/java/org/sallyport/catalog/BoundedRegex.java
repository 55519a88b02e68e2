package org.sallyport.catalog;

import com.networknt.schema.SchemaException;
import com.networknt.schema.regex.RegularExpression;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A pattern that somebody else wrote, matched against what a third wrote: it may look at so many characters, and is given up
 * then, as some patterns look at each of them more often than anybody can wait for.
 */
final class BoundedRegex implements RegularExpression {
    private static final int MAX_STEPS = 2_000_000;

    private final Pattern pattern;

    /** Throws {@link SchemaException} when it is no pattern. */
    BoundedRegex(String pattern) {
        try {
            this.pattern = Pattern.compile(pattern);
        } catch (PatternSyntaxException e) {
            throw new SchemaException("a pattern cannot be read: " + e.getDescription());
        }
    }

    /** Throws {@link SchemaException} when it looked at too much. */
    @Override
    public boolean matches(String text) {
        return pattern.matcher(new CountingCharSequence(text, new int[] {MAX_STEPS}))
                .find();
    }

    /** A text that may be looked at for a while. */
    private record CountingCharSequence(CharSequence text, int[] remainingSteps) implements CharSequence {
        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            if (--remainingSteps[0] < 0) {
                throw new SchemaException("a pattern takes too long");
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
