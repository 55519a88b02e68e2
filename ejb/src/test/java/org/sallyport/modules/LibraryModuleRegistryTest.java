package org.sallyport.modules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.sandbox.LibraryModule;

class LibraryModuleRegistryTest {
    private static final String CODE = "exports.two = 2;";
    private static final String HASH = "a0bbd6bdcd6d4a7eb7c3e8c9d4ad3db8ac5bdc6c4d1e9a2a9e4d2ce62d5e1b5d";

    @TempDir
    Path directory;

    @BeforeEach
    void modules() throws IOException {
        Files.writeString(directory.resolve("two.js"), CODE);
    }

    private Path registry(String json) throws IOException {
        return Files.writeString(directory.resolve("modules.json"), json.replace('\'', '"'));
    }

    private static String hash() throws Exception {
        return java.util.HexFormat.of()
                .formatHex(java.security.MessageDigest.getInstance("SHA-256").digest(CODE.getBytes()));
    }

    @Test
    void modulesAreReadWithTheirCode() throws Exception {
        assertThat(LibraryModuleRegistry.read(
                        registry("[{'name':'@a/two','version':'1.2.3','file':'two.js','sha256':'" + hash() + "'}]")))
                .containsExactly(new LibraryModule("@a/two", "1.2.3", hash(), CODE));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                                                            | a JSON list
            [                                                                             | cannot be read
            [{'name':'two','version':'1.0.0','file':'two.js','sha256':'HASH'}]            | has the SHA-256
            [{'name':'two','version':'1','file':'two.js','sha256':'HASH'}]                | semantic version
            [{'name':'../two','version':'1.0.0','file':'two.js','sha256':'HASH'}]         | not a module name
            [{'name':'two','version':'1.0.0','file':'../two.js','sha256':'HASH'}]         | a file beside the registry
            [{'name':'two','version':'1.0.0','file':'/etc/passwd','sha256':'HASH'}]       | a file beside the registry
            [{'name':'two','version':'1.0.0','file':'none.js','sha256':'HASH'}]           | a file beside the registry
            """)
    void invalidRegistryIsReported(String json, String message) throws IOException {
        Path registry = registry(json.replace("HASH", HASH));
        assertThatThrownBy(() -> LibraryModuleRegistry.read(registry))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
