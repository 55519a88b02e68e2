package org.sallyport.tls;

import java.net.SocketException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Says in words of the settings why a server and this service do not speak TLS with each other.
 *
 * @param authorities whether a file says whom to believe
 * @param identity whether this service shows a certificate
 */
record HandshakeFailure(ServiceTls.Names names, boolean authorities, boolean identity) {
    private static final int DEEPEST = 20;

    /** What the other says of our certificate, or of there being none (RFC 8446, 6.2). */
    private static final Pattern OF_OURS =
            Pattern.compile("Received fatal alert: (\\w*certificate\\w*|unknown_ca|access_denied)");

    /** The names of Java's messages: it has no types for them. */
    private static final Pattern OTHER_NAME = Pattern.compile("No (subject alternative|name matching)");

    private static final Pattern NO_TLS =
            Pattern.compile("Unsupported or unrecognized SSL message|does not support SSL");
    private static final String ENDED = "Remote host terminated the handshake";

    Optional<ServiceTls.Reason> explained(Throwable failure) {
        Optional<ServiceTls.Reason> found = Optional.empty();
        int depth = 0;
        for (Throwable t = failure; t != null && depth < DEEPEST; t = t.getCause(), depth++) {
            Optional<ServiceTls.Reason> inner = one(t);
            // The innermost knows best.
            found = inner.isPresent() ? inner : found;
        }
        return found;
    }

    /** Also what comes right after it: with TLS 1.3 only then is there an answer to our certificate. */
    private static boolean inTls(Throwable failure) {
        return Arrays.stream(failure.getStackTrace())
                .anyMatch(frame -> frame.getClassName().startsWith("sun.security.ssl."));
    }

    private Optional<ServiceTls.Reason> one(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        Matcher ours = OF_OURS.matcher(message);
        if (failure instanceof CertificateExpiredException || failure instanceof CertificateNotYetValidException) {
            return certain(names.url() + ": the certificate of " + names.peer() + " is not good now (" + message + ")");
        } else if (failure instanceof CertPathBuilderException) {
            return certain(names.authorities() + ": the certificate of " + names.peer()
                    + (authorities
                            ? " comes from no authority in this file"
                            : " comes from no authority that Java trusts; name the file with its authorities here"));
        } else if (failure instanceof CertificateException
                && OTHER_NAME.matcher(message).find()) {
            return certain(names.url() + ": the certificate of " + names.peer() + " is for another name (" + message
                    + "); which it has may be said in " + names.serverName());
        } else if (failure instanceof SSLException && ours.find()) {
            return certain(
                    identity
                            ? names.certificate() + ": " + names.peer() + " does not accept it (" + ours.group(1) + ")"
                            : names.mode() + ": " + names.peer() + " asks for a certificate (" + ours.group(1)
                                    + "); with mtls it is shown one");
        } else if (failure instanceof SocketException && inTls(failure) || message.startsWith(ENDED)) {
            // Who refuses a certificate closes at once: what is still written to it may break before its word is read.
            // So does whoever stands before a server that is away.
            return Optional.of(new ServiceTls.Reason(
                    (identity ? names.certificate() : names.mode()) + ": " + names.peer() + " ended the connection ("
                            + message + "), and may not accept "
                            + (identity ? "it" : "whoever shows no certificate, as mtls does"),
                    false));
        } else if (NO_TLS.matcher(message).find()) {
            return certain(names.mode() + ": " + names.peer() + " does not speak TLS at the address of " + names.url());
        }
        return Optional.empty();
    }

    private static Optional<ServiceTls.Reason> certain(String text) {
        return Optional.of(new ServiceTls.Reason(text, true));
    }
}
