package org.sallyport.store;

/** The first characters of a script, on one line, for lists. */
final class CodePreview {
    private static final int MAX_LENGTH = 120;
    /** Enough to find {@link #MAX_LENGTH} characters in among indentation, and bounded. */
    private static final int MAX_SCANNED_CHARS = 2_000;

    private CodePreview() {}

    /** At most {@value #MAX_LENGTH} characters; each run of white space and control characters becomes one space. */
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
