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
 * A key and its certificate, with those of the authorities between it and a root. Immutable.
 *
 * @param chain the certificate of the key first
 */
record Identity(PrivateKey key, List<X509Certificate> chain) {
    private static final byte[] TRIAL = {'t', 'r', 'i', 'a', 'l'};

    Identity {
        chain = List.copyOf(chain);
    }

    /**
     * Where one is kept: a PKCS #12 file, or PEM files for certificate and key.
     *
     * @param names the settings that name keystore, its password, certificate and key, for messages
     */
    record Place(
            Optional<Path> keystore,
            Optional<String> password,
            Optional<Path> certificate,
            Optional<Path> key,
            Names names)
            implements Renewed.Source<Identity> {
        record Names(String keystore, String password, String certificate, String key) {}

        void check() throws UnusableException {
            if (keystore.isPresent() && certificate.isPresent()) {
                throw new UnusableException(
                        names.keystore, "and " + names.certificate + " are two places for the same: set only one");
            }
            if (keystore.isPresent() && password.isEmpty()) {
                throw new UnusableException(names.password, "must be set with " + names.keystore);
            }
            if (certificate.isPresent() != key.isPresent()) {
                throw new UnusableException(
                        certificate.isPresent() ? names.key : names.certificate,
                        "must be set with " + (certificate.isPresent() ? names.certificate : names.key));
            }
        }

        boolean isEmpty() {
            return keystore.isEmpty() && certificate.isEmpty() && key.isEmpty();
        }

        @Override
        public List<FileBytes> content() throws UnusableException {
            check();
            return keystore.isPresent()
                    ? List.of(FileBytes.of(keystore.get(), names.keystore))
                    : List.of(
                            FileBytes.of(certificate.orElseThrow(), names.certificate),
                            FileBytes.of(key.orElseThrow(), names.key));
        }

        @Override
        public Identity made(List<FileBytes> content, Instant now) throws UnusableException {
            String place = keystore.isPresent() ? names.keystore : names.certificate;
            Identity identity = keystore.isPresent()
                    ? ofStore(content.get(0).bytes(), password.orElse(""), names)
                    : ofPem(content.get(0).bytes(), content.get(1).bytes(), names);
            identity.checkPair(place);
            identity.checkTime(place, now);
            return identity;
        }
    }

    private static Identity ofPem(byte[] certificate, byte[] key, Place.Names names) throws UnusableException {
        List<X509Certificate> chain = Pem.read(certificate, names.certificate).certificates();
        if (chain.isEmpty()) {
            throw new UnusableException(names.certificate, "has no certificate (PEM)");
        }
        List<PrivateKey> keys = Pem.read(key, names.key).keys();
        if (keys.size() != 1) {
            throw new UnusableException(names.key, "must have one private key (PEM), and has " + keys.size());
        }
        return new Identity(keys.get(0), chain);
    }

    private static Identity ofStore(byte[] content, String password, Place.Names names) throws UnusableException {
        KeyStore store = StoreFile.open(content, password, names.keystore, names.password);
        try {
            List<String> aliases = new ArrayList<>();
            for (String alias : Collections.list(store.aliases())) {
                if (store.isKeyEntry(alias)) {
                    aliases.add(alias);
                }
            }
            if (aliases.size() != 1) {
                throw new UnusableException(
                        names.keystore, "must have one key with its certificate, and has " + aliases.size());
            }
            Key key = store.getKey(aliases.get(0), password.toCharArray());
            List<X509Certificate> chain = new ArrayList<>();
            for (Certificate certificate : store.getCertificateChain(aliases.get(0))) {
                chain.add((X509Certificate) certificate);
            }
            if (key instanceof PrivateKey secret) {
                return new Identity(secret, chain);
            }
            throw new UnusableException(names.keystore, "has a key that is not private");
        } catch (GeneralSecurityException e) {
            throw new UnusableException(names.keystore, "has a key with another password than the file");
        }
    }

    /** Whoever renews two files does it one after the other. */
    private void checkPair(String place) throws UnusableException {
        try {
            Signature signature = Signature.getInstance(
                    switch (key.getAlgorithm()) {
                        case "RSA" -> "SHA256withRSA";
                        case "EC" -> "SHA256withECDSA";
                        default -> key.getAlgorithm();
                    });
            signature.initSign(key);
            signature.update(TRIAL);
            byte[] signed = signature.sign();
            signature.initVerify(certificate().getPublicKey());
            signature.update(TRIAL);
            if (signature.verify(signed)) {
                return;
            }
        } catch (GeneralSecurityException e) {
            throw new UnusableException(place, "the certificate is not that of the key");
        }
        throw new UnusableException(place, "the certificate is not that of the key");
    }

    private void checkTime(String place, Instant now) throws UnusableException {
        if (now.isAfter(end())) {
            throw new UnusableException(place, "the certificate has expired: it was good until " + end());
        }
        Instant begin = certificate().getNotBefore().toInstant();
        if (now.isBefore(begin)) {
            throw new UnusableException(place, "the certificate is not good before " + begin);
        }
    }

    X509Certificate certificate() {
        return chain.get(0);
    }

    /** Until when the certificate is good. */
    Instant end() {
        return certificate().getNotAfter().toInstant();
    }

    /** For logs, without anything of the key. */
    @Override
    public String toString() {
        return "certificate of " + certificate().getSubjectX500Principal().getName() + ", good until " + end();
    }
}
