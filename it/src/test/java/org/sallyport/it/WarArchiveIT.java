package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;

/** The WAR as it is shipped. */
@ExtendWith(ServerExtension.class)
class WarArchiveIT {
    private static final String UNREAD = "WEB-INF__lib__";
    private static final String MARKER = "_jar/unread";

    private static List<String> entries(String archive) throws IOException {
        try (ZipFile file =
                new ZipFile(CheckoutPaths.serverDirectory().resolve(archive).toFile())) {
            return file.stream().map(ZipEntry::getName).toList();
        }
    }

    @ParameterizedTest
    @CsvSource({"sallyport.war, WEB-INF/lib/, WEB-INF__lib__, ejb web", "artemis.rar, '', '', jms-config"})
    void archiveExcludesLibrariesWithoutAnnotationsFromScanning(
            String archive, String directory, String prefixOfMark, String withAnnotations) throws IOException {
        List<String> libraries = entries(archive).stream()
                .filter(name -> name.startsWith(directory) && name.endsWith(".jar"))
                .map(name -> name.substring(directory.length(), name.length() - ".jar".length()))
                .toList();
        List<String> unread = entries(archive).stream()
                .filter(name -> name.startsWith(prefixOfMark) && name.endsWith(MARKER))
                .map(name -> name.substring(prefixOfMark.length(), name.length() - MARKER.length()))
                .toList();

        List<String> read = Stream.of(withAnnotations.split(" "))
                .flatMap(module -> libraries.stream().filter(name -> name.startsWith("sallyport-" + module + "-")))
                .toList();

        assertThat(read).hasSameSizeAs(withAnnotations.split(" "));
        assertThat(libraries).hasSizeGreaterThan(40);
        assertThat(unread)
                .containsExactlyInAnyOrderElementsOf(
                        libraries.stream().filter(name -> !read.contains(name)).toList());
    }

    /**
     * {@code java -jar} reads these options from the manifest of Payara Micro. The server's command line names another
     * main class, so it must pass them itself.
     */
    @Test
    void javaOptionsMatchThoseOfPayaraMicro() throws IOException {
        Path layout = CheckoutPaths.serverDirectory();
        try (JarFile launcher =
                new JarFile(layout.resolve("platform/launch-micro.jar").toFile())) {
            Attributes manifest = launcher.getManifest().getMainAttributes();
            List<String> named = Stream.of("Add-Exports", "Add-Opens")
                    .flatMap(name -> Stream.of(manifest.getValue(name).split(" "))
                            .map(target -> "--" + name.toLowerCase(Locale.ROOT) + "=" + target + "=ALL-UNNAMED"))
                    .toList();

            assertThat(Files.readAllLines(layout.resolve("java.txt")).stream().filter(line -> !line.startsWith("#")))
                    .containsExactlyElementsOf(named);
        }
    }

    /**
     * The marker files have no content for a caller with a key, and a caller without a key cannot find out that they
     * exist.
     */
    @Test
    void markerFilesRevealNoInformation(RestClient api) throws IOException {
        String path = "/"
                + entries("sallyport.war").stream()
                        .filter(name -> name.startsWith(UNREAD) && name.endsWith(MARKER))
                        .findFirst()
                        .orElseThrow();

        RestResponse anonymous = api.withoutKey().get(path);
        assertThat(anonymous.status()).isEqualTo(401);
        assertThat(anonymous.text()).isEqualTo(api.withoutKey().get("/nothing").text());
        RestResponse known = api.get(path);
        assertThat(known.status()).isIn(200, 404);
        assertThat(known.status() == 200 ? known.text() : "").isEmpty();
    }
}
