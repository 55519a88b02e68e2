package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests the selection of service and key: options, then the environment, then the profile {@code default}. */
class ServiceTargetTest {
    private static final String ONE = "http://one.example:1";
    private static final String TWO = "http://two.example:2";

    @TempDir
    Path directory;

    private FakeService service;
    private CommandLineFixture sallyport;

    @BeforeEach
    void open() throws Exception {
        service = new FakeService();
        sallyport = new CommandLineFixture(directory, service);
        sallyport.variables.clear();
        sallyport.variables.put("HOME", directory.toString());
        Files.writeString(directory.resolve("key"), FakeService.KEY + "\n");
    }

    @AfterEach
    void close() {
        service.close();
    }

    private Path profilesFile() {
        return directory.resolve(".config/sallyport/profiles.json");
    }

    private void writeProfiles(String json) throws Exception {
        Files.createDirectories(profilesFile().getParent());
        Files.deleteIfExists(profilesFile());
        Files.createFile(
                profilesFile(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(profilesFile(), json.replace('\'', '"'));
    }

    private ServiceTarget target(Map<String, String> environment, String url, String key, String profile) {
        Map<String, String> variables = new HashMap<>(environment);
        variables.put("HOME", directory.toString());
        return ServiceTarget.of(
                new CliEnvironment(variables, directory, directory, "java", InputStream.nullInputStream()),
                nonEmpty(url),
                nonEmpty(key),
                nonEmpty(profile));
    }

    private static Optional<String> nonEmpty(String text) {
        return Optional.of(text).filter(value -> !value.isEmpty());
    }

    private static ServiceTarget of(String url, String key) {
        return new ServiceTarget(nonEmpty(url), nonEmpty(key));
    }

    @Test
    void profileIsStoredPrivatelyUsedListedAndRemoved() throws Exception {
        assertThat(sallyport.run("profile", "set", "here", "--url", service.url(), "--key-file", "key"))
                .isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(profilesFile())))
                .isEqualTo("rw-------");

        service.answer("GET /api/v1/api-keys", 200, "{\"items\":[],\"next\":null}");
        assertThat(sallyport.run("--profile", "here", "keys")).isZero();
        sallyport.variables.put("SALLYPORT_PROFILE", "here");
        assertThat(sallyport.run("keys")).isZero();

        assertThat(sallyport.run("profile")).isZero();
        assertThat(sallyport.out()).contains("here", service.url(), "stored").doesNotContain(FakeService.KEY);
        assertThat(sallyport.run("profile", "--json")).isZero();
        assertThat(sallyport.out()).doesNotContain(FakeService.KEY);
        assertThat(sallyport.run("profile", "remove", "here")).isZero();
        assertThat(sallyport.run("keys")).isEqualTo(ExitCode.USAGE.code());
        assertThat(sallyport.err()).contains("There is no profile 'here'");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void profileFileReadableByOthersIsRefused() throws Exception {
        writeProfiles("{'profiles':{'p':{'url':'" + ONE + "'}}}");
        Files.setPosixFilePermissions(profilesFile(), PosixFilePermissions.fromString("rw-r-----"));

        assertThat(sallyport.run("--profile", "p", "status")).isEqualTo(ExitCode.USAGE.code());

        assertThat(sallyport.err()).contains("rw-r-----", "chmod 600 " + profilesFile());
    }

    @Test
    void invalidProfileFileIsReported() throws Exception {
        writeProfiles("{'profiles':");
        assertThat(sallyport.run("--profile", "p", "status")).isEqualTo(ExitCode.USAGE.code());
        writeProfiles("[]");
        assertThat(sallyport.run("--profile", "p", "status")).isEqualTo(ExitCode.USAGE.code());

        assertThat(sallyport.err()).contains("is not JSON", "has no object 'profiles'");
    }

    @Test
    void optionsOverrideTheEnvironmentAndThatTheDefault() throws Exception {
        writeProfiles(
                "{'profiles':{'default':{'url':'" + ONE + "','key':'k1'},'two':{'url':'" + TWO + "','key':'k2'}}}");
        Map<String, String> none = Map.of();
        Map<String, String> url = Map.of("SALLYPORT_URL", "http://env.example", "SALLYPORT_KEY", "ke");
        Map<String, String> named = Map.of("SALLYPORT_PROFILE", "two");

        assertThat(target(none, "", "", "")).isEqualTo(of(ONE, "k1"));
        assertThat(target(named, "", "", "")).isEqualTo(of(TWO, "k2"));
        assertThat(target(url, "", "", "")).isEqualTo(of("http://env.example", "ke"));
        assertThat(target(url, "", "", "two")).isEqualTo(of(TWO, "k2"));
        assertThat(target(url, "http://option.example", "ko", "two")).isEqualTo(of("http://option.example", "ko"));
        assertThat(target(named, "", "ko", "")).isEqualTo(of(TWO, "ko"));
        assertThat(target(Map.of("SALLYPORT_DATA", "d"), "", "", ""))
                .as("the local service was chosen")
                .isEqualTo(of("", ""));
    }

    @Test
    void profileKeyIsSentOnlyToItsOwnAddress() throws Exception {
        writeProfiles(
                "{'profiles':{'default':{'url':'" + ONE + "','key':'k1'},'two':{'url':'" + TWO + "','key':'k2'}}}");

        assertThat(target(Map.of(), TWO, "", "")).isEqualTo(of(TWO, ""));
        assertThat(target(Map.of(), ONE, "", "two")).isEqualTo(of(ONE, "k1"));
        assertThat(target(Map.of("SALLYPORT_URL", ONE, "SALLYPORT_PROFILE", "two"), "", "", ""))
                .isEqualTo(of(ONE, ""));
    }
}
