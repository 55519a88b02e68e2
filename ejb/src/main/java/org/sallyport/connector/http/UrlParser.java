package org.sallyport.connector.http;

import java.net.IDN;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses URLs as people write them: blanks and characters beyond ASCII are percent-encoded, and a host name becomes its
 * ASCII form (IDNA). Percent-encoded characters stay as they are. A blank at the beginning or the end is refused.
 */
public final class UrlParser {
    private static final Pattern PARTS = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(.*)", Pattern.DOTALL);
    private static final Pattern AUTHORITY = Pattern.compile("([^@\\[\\]\\\\]*?)(:[0-9]*)?");

    private static final int MAX_PORT = 65_535;

    private UrlParser() {}

    /** Returns the URL; throws {@link URISyntaxException} if it is none. The reason of the exception can be shown. */
    public static URI parse(String url) throws URISyntaxException {
        if (!url.isEmpty() && (isBlank(url.codePointAt(0)) || isBlank(url.codePointBefore(url.length())))) {
            throw new URISyntaxException(url, "It has a blank at its beginning or its end");
        }
        Matcher parts = PARTS.matcher(url);
        return parts.matches()
                ? new URI(parts.group(1) + "://" + asciiAuthority(parts.group(2))
                                + PercentEncoding.encodeBehindHost(parts.group(3)))
                        .parseServerAuthority()
                : new URI(url).parseServerAuthority();
    }

    private static boolean isBlank(int character) {
        return Character.isWhitespace(character) || Character.isSpaceChar(character);
    }

    /** Whether a URL has no port, or one from 1 to 65535. */
    public static boolean hasValidPort(URI url) {
        return url.getPort() != 0 && url.getPort() <= MAX_PORT;
    }

    private static String asciiAuthority(String authority) throws URISyntaxException {
        Matcher parts = AUTHORITY.matcher(authority);
        if (isAscii(authority) || !parts.matches()) {
            return authority;
        }
        return asciiHost(parts.group(1)) + (parts.group(2) == null ? "" : parts.group(2));
    }

    /**
     * Returns a host name in its ASCII form. Throws {@link URISyntaxException} if there is none, or if versions of IDNA
     * disagree on it, so that it could mean another host.
     */
    static String asciiHost(String host) throws URISyntaxException {
        if (isAscii(host)) {
            return host;
        }
        try {
            String ascii = IDN.toASCII(host);
            if (IDN.toUnicode(ascii)
                    .equals(Normalizer.normalize(host, Normalizer.Form.NFC).toLowerCase(Locale.ROOT))) {
                return ascii;
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw new URISyntaxException(host, "its host must be written in its ASCII form (xn--…)");
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 0x80);
    }

    /**
     * Returns the target of a redirect from {@code from}.
     *
     * @param location value of the header {@code Location}; a character stands for one byte
     */
    public static URI resolveLocation(URI from, String location) throws URISyntaxException {
        StringBuilder bytes = new StringBuilder();
        for (byte b : location.getBytes(StandardCharsets.ISO_8859_1)) {
            bytes.append(b < 0 ? String.format("%%%02X", b & 0xff) : String.valueOf((char) b));
        }
        return resolve(from, bytes.toString());
    }

    /** Returns the URL that {@code reference} means in a document at {@code from}. */
    static URI resolve(URI from, String reference) throws URISyntaxException {
        if (PARTS.matcher(reference).matches()) {
            return parse(reference);
        }
        if (reference.startsWith("//")) {
            return parse(from.getScheme() + ":" + reference);
        }
        String encoded = PercentEncoding.encodeBehindHost(reference);
        // URI.resolve drops the last segment for a target that is a query alone.
        return encoded.startsWith("?")
                ? new URI(from.getScheme() + "://" + from.getRawAuthority() + from.getRawPath() + encoded)
                : from.resolve(new URI(encoded)).parseServerAuthority();
    }
}
