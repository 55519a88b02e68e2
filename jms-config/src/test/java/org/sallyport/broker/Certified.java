package org.sallyport.broker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;

/**
 * A key and a certificate that it has signed itself, made with the {@code keytool} of the JDK.
 *
 * @param store PKCS #12
 * @param trust PKCS #12 with the certificate alone
 * @param certificate PEM
 * @param key PEM
 */
record Certified(Path store, Path trust, Path certificate, Path key) {
    static final String PASSWORD = "not-a-secret";

    static Certified make(Path directory, String name, String extension) {
        Certified made = new Certified(
                directory.resolve(name + ".p12"),
                directory.resolve(name + ".trust.p12"),
                directory.resolve(name + ".crt"),
                directory.resolve(name + ".key"));
        try {
            keytool(List.of(
                    "-genkeypair",
                    "-alias",
                    "own",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=" + name,
                    "-ext",
                    extension,
                    "-keystore",
                    made.store.toString(),
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    PASSWORD));
            KeyStore read = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(made.store)) {
                read.load(in, PASSWORD.toCharArray());
            }
            Certificate certificate = read.getCertificate("own");
            Files.writeString(made.certificate, pem("CERTIFICATE", certificate.getEncoded()));
            Files.writeString(
                    made.key,
                    pem(
                            "PRIVATE KEY",
                            read.getKey("own", PASSWORD.toCharArray()).getEncoded()));
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("one", certificate);
            try (OutputStream out = Files.newOutputStream(made.trust)) {
                trusted.store(out, PASSWORD.toCharArray());
            }
            return made;
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static void keytool(List<String> words) throws IOException {
        var command = new java.util.ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(words);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new AssertionError(said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static String pem(String label, byte[] bytes) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + label
                + "-----\n";
    }
}
