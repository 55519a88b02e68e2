package org.sallyport.it.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.it.chaos.inside.KillingFailpointHook;

/**
 * The shipped server with {@link KillingFailpointHook} added to its archive: a build that can kill or suspend itself at
 * a named failpoint.
 */
public final class FailpointBuild {
    private static final String APPLICATION_FILE = "sallyport.war";

    private FailpointBuild() {}

    /** Creates a directory from which servers with the hook start. */
    public static Path createServerDirectory() {
        Path shipped = CheckoutPaths.serverDirectory();
        Path layout = ServerSetup.temporaryDirectory().resolve("server");
        try (Stream<Path> files = Files.walk(shipped)) {
            for (Path file : files.toList()) {
                Path copy = layout.resolve(shipped.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else if (file.getFileName().toString().equals(APPLICATION_FILE)) {
                    Files.copy(file, copy);
                } else {
                    Files.createSymbolicLink(copy, file.toRealPath());
                }
            }
            addHook(layout.resolve(APPLICATION_FILE));
            return layout;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void addHook(Path application) throws IOException {
        try (FileSystem archive = FileSystems.newFileSystem(URI.create("jar:" + application.toUri()), Map.of());
                OutputStream file = Files.newOutputStream(archive.getPath("WEB-INF/lib/sallyport-failpoints.jar"));
                JarOutputStream jar = new JarOutputStream(file)) {
            jar.putNextEntry(new JarEntry("META-INF/services/" + Failpoint.FailpointHook.class.getName()));
            jar.write(KillingFailpointHook.class.getName().getBytes(StandardCharsets.UTF_8));
            for (String type : List.of(KillingFailpointHook.class.getName())) {
                String entry = type.replace('.', '/') + ".class";
                jar.putNextEntry(new JarEntry(entry));
                try (InputStream code = KillingFailpointHook.class.getResourceAsStream("/" + entry)) {
                    code.transferTo(jar);
                }
            }
        }
    }
}
