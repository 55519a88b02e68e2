package org.sallyport.tls;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A key with a certificate that it has signed itself, made with the {@code keytool} of the JDK. */
record Certified(KeyStore store, Path file) {
    static final String PASSWORD = "not-a-secret";

    static Certified make(Path directory, String name, String... options) {
        Path file = directory.resolve(name + ".p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of("-genkeypair", "-alias", "own", "-dname", "CN=" + name, "-keystore", file.toString()));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
        command.addAll(options.length == 0 ? List.of("-keyalg", "EC") : List.of(options));
        return new Certified(run(command, file), file);
    }

    /** One that this has signed; its key lies in this file too. */
    Certified sign(Path directory, String name, String... options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of("-genkeypair", "-alias", name, "-dname", "CN=" + name, "-keystore", file.toString()));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-keyalg", "EC", "-signer", "own"));
        command.addAll(List.of(options));
        KeyStore all = run(command, file);
        try {
            KeyStore alone = KeyStore.getInstance("PKCS12");
            alone.load(null, null);
            alone.setKeyEntry(
                    "own",
                    all.getKey(name, PASSWORD.toCharArray()),
                    PASSWORD.toCharArray(),
                    all.getCertificateChain(name));
            Path own = directory.resolve(name + ".p12");
            try (OutputStream out = Files.newOutputStream(own)) {
                alone.store(out, PASSWORD.toCharArray());
            }
            return new Certified(alone, own);
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static KeyStore run(List<String> command, Path file) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(said);
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            try (var in = Files.newInputStream(file)) {
                store.load(in, PASSWORD.toCharArray());
            }
            return store;
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    String certificate() {
        try {
            return pem("CERTIFICATE", store.getCertificate("own").getEncoded());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    String key() {
        return pem("PRIVATE KEY", secret().getEncoded());
    }

    PrivateKey secret() {
        try {
            return (PrivateKey) store.getKey("own", PASSWORD.toCharArray());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** Puts the key of another into the same file. */
    void add(Certified other) {
        try (OutputStream out = Files.newOutputStream(file)) {
            store.setKeyEntry("second", other.secret(), PASSWORD.toCharArray(), other.store.getCertificateChain("own"));
            store.store(out, PASSWORD.toCharArray());
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    static String pem(String label, byte[] bytes) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + label
                + "-----\n";
    }
}
