package org.sallyport.connector.http;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Allows requests only to the hosts of a list, and only to public addresses unless configured otherwise. Callers must
 * connect to the addresses that the guard returns, because a second DNS lookup could return other addresses.
 * Thread-safe.
 */
final class EgressGuard {
    private static final Pattern NAME =
            Pattern.compile("(?i)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*");
    private static final Pattern NUMBER = Pattern.compile("(?i)[0-9]+|0x[0-9a-f]*");
    private static final Pattern DOTTED_QUAD = Pattern.compile(
            "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\\.(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}");
    private static final Pattern V6 = Pattern.compile("(?i)\\[?[0-9a-f:.]*:[0-9a-f:.]*]?");
    private static final int MAX_HOST_LENGTH = 253;

    private final List<String> allowed;
    private final boolean privateAllowed;
    private final AddressResolver resolver;

    /** Resolves a host name to addresses. */
    interface AddressResolver {
        InetAddress[] resolve(String name) throws UnknownHostException;
    }

    /**
     * @param allowed host names, or {@code *.domain} for all hosts below a domain
     * @param inside whether addresses that are not public are allowed
     */
    EgressGuard(List<String> allowed, boolean inside, AddressResolver names) {
        this.allowed = allowed.stream().map(EgressGuard::normalize).toList();
        this.privateAllowed = inside;
        this.resolver = names;
    }

    /**
     * Parses a URL to call as {@link UrlParser} does; throws {@link EgressDeniedException} unless its form and its host
     * are allowed.
     */
    URI parseAllowed(String text) {
        URI uri;
        try {
            uri = UrlParser.parse(text);
        } catch (URISyntaxException e) {
            throw EgressDeniedException.invalidUrl(e);
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https")) {
            throw new EgressDeniedException("only http and https are supported, not '" + scheme + "'");
        }
        if (uri.getHost() == null || uri.getRawUserInfo() != null) {
            throw new EgressDeniedException("it must have a host and no user");
        }
        if (!UrlParser.hasValidPort(uri)) {
            throw new EgressDeniedException("its port must be a number from 1 to 65535");
        }
        checkHost(uri.getHost());
        return uri;
    }

    private void checkHost(String host) {
        String plain = normalize(host);
        boolean literal =
                V6.matcher(plain).matches() || DOTTED_QUAD.matcher(plain).matches();
        String last = plain.substring(plain.lastIndexOf('.') + 1);
        if (!literal
                && (plain.length() > MAX_HOST_LENGTH
                        || !NAME.matcher(plain).matches()
                        || NUMBER.matcher(last).matches())) {
            // Resolvers read 2130706433, 0x7f.1 and 0177.0.0.1 as addresses, each in its own way.
            throw new EgressDeniedException(
                    "'" + host + "' is neither a host name nor an IP address in standard" + " notation");
        }
        if (allowed.stream().noneMatch(pattern -> matches(pattern, plain))) {
            throw new EgressDeniedException("host '" + host + "' is not in the list of allowed hosts");
        }
    }

    private static boolean matches(String pattern, String host) {
        return pattern.startsWith("*.") ? host.endsWith(pattern.substring(1)) : host.equals(pattern);
    }

    /** A name without an ASCII form stays, and matches no host. */
    private static String asciiPattern(String pattern) {
        String wildcard = pattern.startsWith("*.") ? "*." : "";
        try {
            return wildcard + UrlParser.asciiHost(pattern.substring(wildcard.length()));
        } catch (URISyntaxException e) {
            return pattern;
        }
    }

    private static String normalize(String host) {
        String lower = asciiPattern(host).toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    /**
     * Resolves a host to the addresses to connect to; throws {@link EgressDeniedException} if one of them is not
     * allowed.
     */
    InetAddress[] resolveAllowed(String host) throws UnknownHostException {
        checkHost(host);
        InetAddress[] found = resolver.resolve(normalize(host));
        for (InetAddress address : found) {
            if (!privateAllowed && !PublicAddressCheck.isPublic(address)) {
                throw new EgressDeniedException(
                        "host '" + host + "' has an address that is not public, and private addresses are not allowed");
            }
        }
        return found;
    }
}
