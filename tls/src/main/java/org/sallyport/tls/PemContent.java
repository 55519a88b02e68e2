package org.sallyport.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The certificates and keys of a PEM file (RFC 7468). Other parts are ignored. */
record PemContent(List<X509Certificate> certificates, List<PrivateKey> keys) {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
    private static final Pattern BEGIN = Pattern.compile("-----BEGIN ");
    private static final Pattern END = Pattern.compile("-----END [A-Z0-9 ]+-----");
    private static final List<String> ALGORITHMS = List.of("EC", "RSA", "Ed25519", "Ed448");

    /** Returns whether the content looks like PEM. */
    static boolean isPem(byte[] content) {
        return new String(content, StandardCharsets.ISO_8859_1).contains("-----BEGIN ");
    }

    /** @param place name by which the user knows the file, for messages */
    static PemContent read(byte[] content, String place) throws TlsConfigurationException {
        List<X509Certificate> certificates = new ArrayList<>();
        List<PrivateKey> keys = new ArrayList<>();
        String text = new String(content, StandardCharsets.ISO_8859_1);
        Matcher blocks = BLOCK.matcher(text);
        if (BEGIN.matcher(text).results().count() != END.matcher(text).results().count()) {
            // The file may be in the middle of a copy; the parts so far are incomplete.
            throw new TlsConfigurationException(place, "has an incomplete PEM block");
        }
        while (blocks.find()) {
            String label = blocks.group(1);
            byte[] bytes;
            try {
                bytes = Base64.getMimeDecoder().decode(blocks.group(2));
            } catch (IllegalArgumentException e) {
                throw new TlsConfigurationException(place, "has a damaged '" + label + "'");
            }
            if (label.equals("CERTIFICATE")) {
                certificates.add(certificate(bytes, place));
            } else if (label.equals("PRIVATE KEY")) {
                keys.add(key(bytes, place));
            } else if (label.endsWith("PRIVATE KEY")) {
                throw new TlsConfigurationException(
                        place,
                        "the key is a '" + label + "'; it must be a 'PRIVATE KEY' (PKCS #8, not encrypted):"
                                + " openssl pkcs8 -topk8 -nocrypt -in key.pem");
            }
        }
        return new PemContent(List.copyOf(certificates), List.copyOf(keys));
    }

    private static X509Certificate certificate(byte[] bytes, String place) throws TlsConfigurationException {
        try {
            Certificate certificate =
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(bytes));
            if (certificate instanceof X509Certificate x509) {
                return x509;
            }
        } catch (CertificateException e) {
            throw new TlsConfigurationException(place, "has a damaged certificate");
        }
        throw new TlsConfigurationException(place, "has a certificate that is not X.509");
    }

    /** The algorithm is inside the key, where only the matching factory reads it. */
    private static PrivateKey key(byte[] bytes, String place) throws TlsConfigurationException {
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
            } catch (GeneralSecurityException e) {
                continue;
            }
        }
        throw new TlsConfigurationException(
                place, "has a damaged key, or one that is not " + String.join(", ", ALGORITHMS));
    }
}
