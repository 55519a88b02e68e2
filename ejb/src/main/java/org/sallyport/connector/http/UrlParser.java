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
 * ASCII form (IDNA). What is percent-encoded stays.
 */
public final class UrlParser {
    private static final Pattern PARTS = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(.*)", Pattern.DOTALL);
    private static final Pattern AUTHORITY = Pattern.compile("([^@\\[\\]\\\\]*?)(:[0-9]*)?");

    private UrlParser() {}

    /** Returns the URL; throws {@link URISyntaxException} if it is none. The reason of the exception can be shown. */
    public static URI parse(String url) throws URISyntaxException {
        Matcher parts = PARTS.matcher(url);
        return parts.matches()
                ? new URI(parts.group(1) + "://" + asciiAuthority(parts.group(2))
                                + PercentEncoding.encodeUrl(parts.group(3)))
                        .parseServerAuthority()
                : new URI(url).parseServerAuthority();
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
    static URI resolve(URI from, String location) throws URISyntaxException {
        StringBuilder bytes = new StringBuilder();
        for (byte b : location.getBytes(StandardCharsets.ISO_8859_1)) {
            bytes.append(b < 0 ? String.format("%%%02X", b & 0xff) : String.valueOf((char) b));
        }
        String encoded = PercentEncoding.encodeUrl(bytes.toString());
        // URI.resolve drops the last segment for a target that is a query alone.
        return encoded.startsWith("?")
                ? new URI(from.getScheme() + "://" + from.getRawAuthority() + from.getRawPath() + encoded)
                : from.resolve(new URI(encoded)).parseServerAuthority();
    }
}
