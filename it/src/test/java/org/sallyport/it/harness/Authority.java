package org.sallyport.it.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** An authority that issues certificates, with the {@code keytool} of the JDK, in a directory of its own. */
public final class Authority implements AutoCloseable {
    /** Of all files that it writes. */
    public static final String PASSWORD = "not-a-secret";

    private static final String ROOT = "root";

    private final Path directory = ServerSetup.temporaryDirectory();
    private final Path store = directory.resolve("all.p12");
    private int issued;

    /** @param name what it calls itself */
    public Authority(String name) {
        keytool("-genkeypair", "-alias", ROOT, "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "bc:c=ca:true");
    }

    /**
     * A key with its certificate, as the files that people keep them in. Those of one name are replaced.
     *
     * @param store PKCS #12
     * @param certificate PEM, with the chain
     * @param key PEM
     */
    public record Issued(Path store, Path certificate, Path key) {
        /** Puts these files where others are, each at once. */
        public void replace(Issued other) {
            move(store, other.store);
            move(certificate, other.certificate);
            move(key, other.key);
        }
    }

    /** Issues a certificate for ten days; {@code extensions} as keytool takes them, such as {@code san=dns:localhost}. */
    public Issued issue(String subject, String... extensions) {
        return issue("+0d", 10, subject, extensions);
    }

    /** Issues one whose time is over. */
    public Issued issueExpired(String subject, String... extensions) {
        return issue("-5d", 2, subject, extensions);
    }

    private Issued issue(String from, int days, String subject, String... extensions) {
        String alias = "leaf" + ++issued;
        List<String> words = new ArrayList<>(List.of(
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-dname",
                subject,
                "-signer",
                ROOT,
                "-startdate",
                from));
        words.addAll(List.of("-validity", Integer.toString(days)));
        Arrays.stream(extensions).forEach(extension -> words.addAll(List.of("-ext", extension)));
        keytool(words.toArray(String[]::new));
        try {
            KeyStore all = read();
            java.security.Key key = all.getKey(alias, PASSWORD.toCharArray());
            Certificate[] chain = all.getCertificateChain(alias);
            KeyStore own = KeyStore.getInstance("PKCS12");
            own.load(null, null);
            own.setKeyEntry("own", key, PASSWORD.toCharArray(), chain);
            Issued files = new Issued(
                    directory.resolve(alias + ".p12"),
                    directory.resolve(alias + ".crt"),
                    directory.resolve(alias + ".key"));
            try (OutputStream out = Files.newOutputStream(files.store())) {
                own.store(out, PASSWORD.toCharArray());
            }
            StringBuilder pem = new StringBuilder();
            for (Certificate certificate : chain) {
                pem.append(pem("CERTIFICATE", certificate.getEncoded()));
            }
            Files.writeString(files.certificate(), pem);
            Files.writeString(files.key(), pem("PRIVATE KEY", key.getEncoded()));
            // As people keep them.
            Files.setPosixFilePermissions(files.key(), PosixFilePermissions.fromString("rw-------"));
            return files;
        } catch (GeneralSecurityException e) {
            throw new AssertionError("cannot issue a certificate", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its own certificate, PEM. */
    public Path file() {
        try {
            Path file = directory.resolve("authority.crt");
            Files.writeString(
                    file, pem("CERTIFICATE", read().getCertificate(ROOT).getEncoded()));
            return file;
        } catch (GeneralSecurityException e) {
            throw new AssertionError("there is no certificate", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same as a PKCS #12 file, for those who read no PEM. */
    public Path trustStore() {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(ROOT, read().getCertificate(ROOT));
            Path file = directory.resolve("authority.p12");
            try (OutputStream out = Files.newOutputStream(file)) {
                trusted.store(out, PASSWORD.toCharArray());
            }
            return file;
        } catch (GeneralSecurityException e) {
            throw new AssertionError("there is no certificate", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What trusts this authority and no other, and shows that certificate if there is one. */
    public SSLContext client(Optional<Issued> own) {
        return client("TLSv1.3", own);
    }

    /** The same, speaking nothing newer than that. */
    public SSLContext client(String newest, Optional<Issued> own) {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(ROOT, read().getCertificate(ROOT));
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            @Nullable KeyManagerFactory keys = null;
            if (own.isPresent()) {
                keys = KeyManagerFactory.getInstance("SunX509");
                try (InputStream in = Files.newInputStream(own.get().store())) {
                    KeyStore store = KeyStore.getInstance("PKCS12");
                    store.load(in, PASSWORD.toCharArray());
                    keys.init(store, PASSWORD.toCharArray());
                }
            }
            SSLContext context = SSLContext.getInstance(newest);
            context.init(keys == null ? null : keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new AssertionError("no TLS", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private KeyStore read() throws GeneralSecurityException, IOException {
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore all = KeyStore.getInstance("PKCS12");
            all.load(in, PASSWORD.toCharArray());
            return all;
        }
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String pem(String label, byte[] bytes) {
        return "-----BEGIN " + label + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes) + "\n-----END " + label
                + "-----\n";
    }

    private void keytool(String... words) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-J" + ServerSetup.QUICK_START));
        command.addAll(Arrays.asList(words));
        command.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError("keytool failed: " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        Directories.delete(directory);
    }
}
