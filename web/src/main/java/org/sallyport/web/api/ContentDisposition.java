package org.sallyport.web.api;

import java.nio.charset.StandardCharsets;

/**
 * Builds the {@code Content-Disposition} of a download (RFC 6266). Encodes every name so that it cannot break out of
 * the header.
 */
final class ContentDisposition {
    private static final String UNESCAPED_CHARS = "-_.!#$&+^`|~";

    private ContentDisposition() {}

    static String attachment(String name) {
        StringBuilder plain = new StringBuilder();
        StringBuilder encoded = new StringBuilder();
        for (byte unit : name.getBytes(StandardCharsets.UTF_8)) {
            char sign = (char) (unit & 0xff);
            if (isAsciiLetterOrDigit(sign) || UNESCAPED_CHARS.indexOf(sign) >= 0) {
                encoded.append(sign);
            } else {
                encoded.append(String.format("%%%02X", (int) sign));
            }
        }
        name.codePoints()
                .map(point -> isAsciiLetterOrDigit(point) || point < 128 && "-_. ".indexOf(point) >= 0 ? point : '_')
                .forEach(plain::appendCodePoint);
        return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + encoded;
    }

    private static boolean isAsciiLetterOrDigit(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }
}
