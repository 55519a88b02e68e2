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
 * Explains failed TLS connections to a peer in terms of the settings.
 *
 * @param hasAuthorities whether a file defines the trusted authorities
 * @param hasCertificate whether this service presents a certificate
 */
record HandshakeDiagnostics(OutboundTls.OutboundTlsSettingNames names, boolean hasAuthorities, boolean hasCertificate) {
    private static final int MAX_CAUSE_DEPTH = 20;

    /** The peer's alert about a rejected or missing client certificate (RFC 8446, 6.2). */
    private static final Pattern OUR_CERTIFICATE_ALERT =
            Pattern.compile("Received fatal alert: (\\w*certificate\\w*|unknown_ca|access_denied)");

    /** Identified by Java's messages, because Java has no types for them. */
    private static final Pattern NAME_MISMATCH = Pattern.compile("No (subject alternative|name matching)");

    private static final Pattern NO_TLS =
            Pattern.compile("Unsupported or unrecognized SSL message|does not support SSL");
    private static final String HANDSHAKE_TERMINATED = "Remote host terminated the handshake";

    Optional<OutboundTls.TlsFailureReason> explain(Throwable failure) {
        Optional<OutboundTls.TlsFailureReason> found = Optional.empty();
        int depth = 0;
        for (Throwable t = failure; t != null && depth < MAX_CAUSE_DEPTH; t = t.getCause(), depth++) {
            Optional<OutboundTls.TlsFailureReason> inner = explainOne(t);
            // The innermost cause is the most specific.
            found = inner.isPresent() ? inner : found;
        }
        return found;
    }

    /**
     * Includes failures right after the handshake, because with TLS 1.3 the peer only then answers the client
     * certificate.
     */
    private static boolean isFromTls(Throwable failure) {
        return Arrays.stream(failure.getStackTrace())
                .anyMatch(frame -> frame.getClassName().startsWith("sun.security.ssl."));
    }

    private Optional<OutboundTls.TlsFailureReason> explainOne(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        Matcher ours = OUR_CERTIFICATE_ALERT.matcher(message);
        if (failure instanceof CertificateExpiredException || failure instanceof CertificateNotYetValidException) {
            return certainReason(
                    names.url() + ": the certificate of " + names.peer() + " is not valid now (" + message + ")");
        } else if (failure instanceof CertPathBuilderException) {
            return certainReason(names.authorities() + ": the certificate of " + names.peer()
                    + (hasAuthorities
                            ? " was not issued by an authority in this file"
                            : " was not issued by an authority that Java trusts; set this to the file with its"
                                    + " authorities"));
        } else if (failure instanceof CertificateException
                && NAME_MISMATCH.matcher(message).find()) {
            return certainReason(names.url() + ": the certificate of " + names.peer() + " is for another name ("
                    + message + "); set the name that it has in " + names.serverName());
        } else if (failure instanceof SSLException && ours.find()) {
            return certainReason(
                    hasCertificate
                            ? names.certificate() + ": " + names.peer() + " does not accept it (" + ours.group(1) + ")"
                            : names.mode() + ": " + names.peer() + " asks for a certificate (" + ours.group(1)
                                    + "); set it to mtls");
        } else if (failure instanceof SocketException && isFromTls(failure)
                || message.startsWith(HANDSHAKE_TERMINATED)) {
            // A peer that rejects a certificate closes immediately, so a write may fail before its alert is read. A
            // proxy before an unavailable server looks the same.
            return Optional.of(new OutboundTls.TlsFailureReason(
                    (hasCertificate ? names.certificate() : names.mode()) + ": " + names.peer()
                            + " ended the connection ("
                            + message + "), and may not accept "
                            + (hasCertificate ? "it" : "clients without a certificate, which mtls sends"),
                    false));
        } else if (NO_TLS.matcher(message).find()) {
            return certainReason(
                    names.mode() + ": " + names.peer() + " does not speak TLS at the address of " + names.url());
        }
        return Optional.empty();
    }

    private static Optional<OutboundTls.TlsFailureReason> certainReason(String text) {
        return Optional.of(new OutboundTls.TlsFailureReason(text, true));
    }
}
