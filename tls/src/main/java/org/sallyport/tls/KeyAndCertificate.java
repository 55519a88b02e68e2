package org.sallyport.tls;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A private key with its certificate chain up to, but without, the root. Immutable.
 *
 * @param chain the certificate of the key first
 */
record KeyAndCertificate(PrivateKey key, List<X509Certificate> chain) {
    private static final byte[] SIGNATURE_TEST_DATA = {'t', 'r', 'i', 'a', 'l'};

    KeyAndCertificate {
        chain = List.copyOf(chain);
    }

    /**
     * Its files: PKCS #12, or PEM for certificate and key.
     *
     * @param names names of the settings for keystore, password, certificate and key, for messages
     */
    record KeyAndCertificateFiles(
            Optional<Path> keystore,
            Optional<String> password,
            Optional<Path> certificate,
            Optional<Path> key,
            KeySettingNames names)
            implements ReloadingFile.FileParser<KeyAndCertificate> {
        record KeySettingNames(String keystore, String password, String certificate, String key) {}

        void validate() throws TlsConfigurationException {
            if (keystore.isPresent() && certificate.isPresent()) {
                throw new TlsConfigurationException(
                        names.keystore, "and " + names.certificate + " both name the certificate: set only one");
            }
            if (keystore.isPresent() && password.isEmpty()) {
                throw new TlsConfigurationException(names.password, "must be set with " + names.keystore);
            }
            if (certificate.isPresent() != key.isPresent()) {
                throw new TlsConfigurationException(
                        certificate.isPresent() ? names.key : names.certificate,
                        "must be set with " + (certificate.isPresent() ? names.certificate : names.key));
            }
        }

        boolean isEmpty() {
            return keystore.isEmpty() && certificate.isEmpty() && key.isEmpty();
        }

        @Override
        public List<FileSnapshot> readFiles() throws TlsConfigurationException {
            validate();
            return keystore.isPresent()
                    ? List.of(FileSnapshot.of(keystore.get(), names.keystore))
                    : List.of(
                            FileSnapshot.of(certificate.orElseThrow(), names.certificate),
                            FileSnapshot.of(key.orElseThrow(), names.key));
        }

        @Override
        public KeyAndCertificate parse(List<FileSnapshot> content, Instant now) throws TlsConfigurationException {
            String place = keystore.isPresent() ? names.keystore : names.certificate;
            KeyAndCertificate identity = keystore.isPresent()
                    ? ofStore(content.get(0).bytes(), password.orElse(""), names)
                    : ofPem(content.get(0).bytes(), content.get(1).bytes(), names);
            identity.requireMatchingPair(place);
            identity.requireValidAt(place, now);
            return identity;
        }
    }

    private static KeyAndCertificate ofPem(byte[] certificate, byte[] key, KeyAndCertificateFiles.KeySettingNames names)
            throws TlsConfigurationException {
        List<X509Certificate> chain =
                PemContent.read(certificate, names.certificate).certificates();
        if (chain.isEmpty()) {
            throw new TlsConfigurationException(names.certificate, "has no certificate (PEM)");
        }
        List<PrivateKey> keys = PemContent.read(key, names.key).keys();
        if (keys.size() != 1) {
            throw new TlsConfigurationException(names.key, "must have one private key (PEM), and has " + keys.size());
        }
        return new KeyAndCertificate(keys.get(0), chain);
    }

    private static KeyAndCertificate ofStore(
            byte[] content, String password, KeyAndCertificateFiles.KeySettingNames names)
            throws TlsConfigurationException {
        KeyStore store = Pkcs12File.open(content, password, names.keystore, names.password);
        try {
            List<String> aliases = new ArrayList<>();
            for (String alias : Collections.list(store.aliases())) {
                if (store.isKeyEntry(alias)) {
                    aliases.add(alias);
                }
            }
            if (aliases.size() != 1) {
                throw new TlsConfigurationException(
                        names.keystore, "must have one key with its certificate, and has " + aliases.size());
            }
            Key key = store.getKey(aliases.get(0), password.toCharArray());
            List<X509Certificate> chain = new ArrayList<>();
            for (Certificate certificate : store.getCertificateChain(aliases.get(0))) {
                chain.add((X509Certificate) certificate);
            }
            if (key instanceof PrivateKey secret) {
                return new KeyAndCertificate(secret, chain);
            }
            throw new TlsConfigurationException(names.keystore, "has a key that is not private");
        } catch (GeneralSecurityException e) {
            throw new TlsConfigurationException(names.keystore, "has a key with another password than the file");
        }
    }

    /** The two files are renewed one after the other and may not match in between. */
    private void requireMatchingPair(String place) throws TlsConfigurationException {
        try {
            Signature signature = Signature.getInstance(
                    switch (key.getAlgorithm()) {
                        case "RSA" -> "SHA256withRSA";
                        case "EC" -> "SHA256withECDSA";
                        default -> key.getAlgorithm();
                    });
            signature.initSign(key);
            signature.update(SIGNATURE_TEST_DATA);
            byte[] signed = signature.sign();
            signature.initVerify(certificate().getPublicKey());
            signature.update(SIGNATURE_TEST_DATA);
            if (signature.verify(signed)) {
                return;
            }
        } catch (GeneralSecurityException e) {
            throw new TlsConfigurationException(place, "the certificate does not match the key");
        }
        throw new TlsConfigurationException(place, "the certificate does not match the key");
    }

    private void requireValidAt(String place, Instant now) throws TlsConfigurationException {
        if (now.isAfter(notAfter())) {
            throw new TlsConfigurationException(place, "the certificate has expired: it was valid until " + notAfter());
        }
        Instant notBefore = certificate().getNotBefore().toInstant();
        if (now.isBefore(notBefore)) {
            throw new TlsConfigurationException(place, "the certificate is not valid before " + notBefore);
        }
    }

    X509Certificate certificate() {
        return chain.get(0);
    }

    /** Returns when the certificate expires. */
    Instant notAfter() {
        return certificate().getNotAfter().toInstant();
    }

    /** For logs; omits the key. */
    @Override
    public String toString() {
        return "certificate of " + certificate().getSubjectX500Principal().getName() + ", valid until " + notAfter();
    }
}
