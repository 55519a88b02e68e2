package org.sallyport.testsupport;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Creates a certificate with a new key in this JVM, because the program {@code keytool} needs about a second of CPU
 * time for each certificate. By default the key is an EC key, the certificate is valid for 90 days from now, and it may
 * not issue other certificates. Not thread-safe.
 */
public final class CertificateBuilder {
    private static final Duration VALIDITY = Duration.ofDays(90);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final X500Principal subject;
    private final List<GeneralName> names = new ArrayList<>();
    private final List<KeyPurposeId> purposes = new ArrayList<>();
    private String keyAlgorithm = "EC";
    private boolean authority;
    private Instant notBefore = Instant.now();
    private Instant notAfter = notBefore.plus(VALIDITY);

    CertificateBuilder(String subject) {
        this.subject = new X500Principal(subject);
    }

    /** Adds subject alternative names: {@code dns:host}, {@code ip:127.0.0.1}, {@code uri:a:b}, {@code email:a@b}. */
    public CertificateBuilder subjectAltNames(String... added) {
        for (String name : added) {
            int colon = name.indexOf(':');
            int type = switch (name.substring(0, colon)) {
                case "dns" -> GeneralName.dNSName;
                case "ip" -> GeneralName.iPAddress;
                case "uri" -> GeneralName.uniformResourceIdentifier;
                case "email" -> GeneralName.rfc822Name;
                default -> throw new IllegalArgumentException("unknown type of name: " + name);
            };
            names.add(new GeneralName(type, name.substring(colon + 1)));
        }
        return this;
    }

    /** Limits the certificate to clients of TLS connections. */
    public CertificateBuilder forClients() {
        purposes.add(KeyPurposeId.id_kp_clientAuth);
        return this;
    }

    /** Limits the certificate to servers of TLS connections. */
    public CertificateBuilder forServers() {
        purposes.add(KeyPurposeId.id_kp_serverAuth);
        return this;
    }

    /** Makes the certificate an authority, which may issue other certificates. */
    public CertificateBuilder authority() {
        authority = true;
        return this;
    }

    /** Sets a validity that ended three days ago. */
    public CertificateBuilder expired() {
        notAfter = Instant.now().minus(Duration.ofDays(3));
        notBefore = notAfter.minus(VALIDITY);
        return this;
    }

    /** Sets the algorithm of the key: {@code EC} (default), {@code RSA} or {@code Ed25519}. */
    public CertificateBuilder keyAlgorithm(String name) {
        keyAlgorithm = name;
        return this;
    }

    /** Creates a key and a certificate that is signed with this key. */
    public TestCertificate selfSigned() {
        KeyPair pair = keyPair();
        return new TestCertificate(
                pair.getPrivate(), List.of(sign(pair.getPublic(), subject, pair.getPublic(), pair.getPrivate())));
    }

    /** Creates a key and a certificate that is signed with the key of an authority. */
    public TestCertificate issuedBy(TestCertificate issuer) {
        KeyPair pair = keyPair();
        List<X509Certificate> chain = new ArrayList<>(issuer.chain());
        X509Certificate root = issuer.certificate();
        chain.add(0, sign(pair.getPublic(), root.getSubjectX500Principal(), root.getPublicKey(), issuer.key()));
        return new TestCertificate(pair.getPrivate(), chain);
    }

    private KeyPair keyPair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(keyAlgorithm);
            if (keyAlgorithm.equals("EC")) {
                generator.initialize(256);
            }
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError("cannot make a key", e);
        }
    }

    private X509Certificate sign(PublicKey key, X500Principal issuer, PublicKey issuerKey, PrivateKey signingKey) {
        BigInteger serialNumber = new BigInteger(64, RANDOM);
        var certificate = new JcaX509v3CertificateBuilder(
                issuer, serialNumber, Date.from(notBefore), Date.from(notAfter), subject, key);
        String algorithm = switch (signingKey.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            case "EdDSA" -> "Ed25519";
            default -> throw new IllegalStateException("unknown algorithm: " + signingKey.getAlgorithm());
        };
        try {
            var identifiers = new JcaX509ExtensionUtils();
            certificate.addExtension(
                    Extension.subjectKeyIdentifier, false, identifiers.createSubjectKeyIdentifier(key));
            certificate.addExtension(
                    Extension.authorityKeyIdentifier, false, identifiers.createAuthorityKeyIdentifier(issuerKey));
            if (authority) {
                certificate.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            }
            if (!names.isEmpty()) {
                certificate.addExtension(
                        Extension.subjectAlternativeName, false, new GeneralNames(names.toArray(GeneralName[]::new)));
            }
            if (!purposes.isEmpty()) {
                certificate.addExtension(
                        Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purposes.toArray(KeyPurposeId[]::new)));
            }
            return new JcaX509CertificateConverter()
                    .getCertificate(certificate.build(new JcaContentSignerBuilder(algorithm).build(signingKey)));
        } catch (GeneralSecurityException | OperatorCreationException | CertIOException e) {
            throw new AssertionError("cannot sign a certificate", e);
        }
    }
}
