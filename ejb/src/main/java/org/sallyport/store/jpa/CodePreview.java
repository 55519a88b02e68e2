package org.sallyport.store.jpa;

/** Extracts the first characters of a script as one line, for lists of executions. Stateless. */
final class CodePreview {
    private static final int MAX_LENGTH = 120;
    /** Bounds the scan; large enough to find {@link #MAX_LENGTH} characters between indentation. */
    private static final int MAX_SCANNED_CHARS = 2_000;

    private CodePreview() {}

    /**
     * Returns at most {@value #MAX_LENGTH} characters of {@code code}. Each run of white space and control characters
     * becomes one space.
     */
    static String of(String code) {
        StringBuilder preview = new StringBuilder(MAX_LENGTH);
        boolean gap = false;
        int end = Math.min(code.length(), MAX_SCANNED_CHARS);
        int i = 0;
        while (i < end) {
            int c = code.codePointAt(i);
            i += Character.charCount(c);
            if (Character.isWhitespace(c) || Character.isISOControl(c)) {
                gap = !preview.isEmpty();
                continue;
            }
            if (preview.length() + (gap ? 1 : 0) + Character.charCount(c) > MAX_LENGTH) {
                break;
            }
            if (gap) {
                preview.append(' ');
                gap = false;
            }
            preview.appendCodePoint(c);
        }
        return preview.toString();
    }
}
