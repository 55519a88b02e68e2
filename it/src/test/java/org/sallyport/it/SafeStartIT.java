package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.ListeningSockets;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/** A server with default settings starts safely, and a server with invalid settings does not start. */
@ExtendWith(ServerExtension.class)
class SafeStartIT {
    private static final int EXIT_CANNOT_START = 5;
    private static final Duration START_FAILURE_TIMEOUT = Duration.ofMinutes(4);

    private final SallyportServer server;

    SafeStartIT(SallyportServer server) {
        this.server = server;
    }

    @Test
    void serverListensOnASingleLoopbackSocket() {
        assertThat(ListeningSockets.findByProcess(server.pid()))
                .containsExactly("127.0.0.1:" + server.url().getPort());
        server.descendants()
                .forEach(child ->
                        assertThat(ListeningSockets.findByProcess(child.pid())).isEmpty());
    }

    @Test
    void serverIsUnreachableFromOtherAddresses() throws IOException {
        List<InetAddress> others = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .toList();
        for (InetAddress address : others) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(address, server.url().getPort()), 500);
                throw new AssertionError("it answers at " + address);
            } catch (IOException refused) {
                assertThat(refused).isNotNull();
            }
        }
    }

    @Test
    void dataFilesAreAccessibleOnlyToTheirOwner() throws IOException {
        assertThat(permissions(server.dataDirectory().resolve("admin.key"))).isEqualTo("rw-------");
        assertThat(server.adminKey()).matches("sp_[\\w-]{12}_[\\w-]{43}");
        assertThat(permissions(server.dataDirectory())).isEqualTo("rwx------");
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/api/v1/executions",
                "/api/v1/tools",
                "/openapi",
                "/openapi/",
                "/metrics",
                "/metrics/base",
                "/api/v1/application.wadl",
                "/management/domain",
                "/console/../api/v1/tools",
                "/mcp",
                "/favicon.ico",
                "/.well-known/x",
                "//api/v1/executions",
                "/api/v1/executions;x=/health/live",
                "/health/../api/v1/tools",
            })
    void everyPathExceptHealthRequiresAKey(String path) {
        RestResponse answer = server.api().withoutKey().get(path);

        assertThat(answer.status()).isIn(400, 401);
        if (answer.status() == 401) {
            assertThat(answer.problemType()).isEqualTo("unauthorized");
            assertThat(answer.header("Server")).isEmpty();
            assertThat(answer.header("X-Powered-By")).isEmpty();
            assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
            assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        }
    }

    @Test
    void healthNeedsNoKeyButHidesDetailsWithoutOne() {
        RestResponse strangers = server.api().withoutKey().get("/health/ready").expectStatus(200);
        RestResponse ours = server.api().get("/health/ready").expectStatus(200);

        assertThat(strangers.text()).doesNotContain("\"data\"", "worker");
        assertThat(ours.text()).contains("isolation", "missingIsolation", "workers");
    }

    @Test
    void adminKeyIsNotInTheLog() {
        assertThat(server.logText()).contains("admin.key").doesNotContain(server.adminKey());
    }

    @Test
    void startLogsNoWarnings() {
        // Log lines after the start may come from other tests that use this server.
        String start = server.logText().split(" ready in ", 2)[0];
        assertThat(start.lines().filter(line -> line.contains("WARNING") || line.contains("SEVERE")))
                .isEmpty();
    }

    /** The platform reports a request context that another thread ends than the one that began it. */
    @Test
    void responseThatIsAwaitedLogsNothingOfThePlatform() {
        server.api().run(SubmissionBody.javascript("await sleep(100); return 1;"));

        assertThat(server.logText()).doesNotContain("org.jboss.weld");
    }

    @Tag("slow")
    @Test
    void startWithSeveralInvalidSettingsNamesEach() {
        try (SallyportServer wrong = ServerSetup.create("impossible")
                .with("sallyport.runner.lives", "3")
                .with("sallyport.runner.max-live-executions", "none")
                .with("sallyport.sandbox.mode", "trusting")
                .launch()) {
            assertThat(wrong.awaitExitCode(START_FAILURE_TIMEOUT)).isEqualTo(EXIT_CANNOT_START);
            assertThat(wrong.logText())
                    .contains("sallyport.runner.lives", "there is no such setting")
                    .contains("sallyport.runner.max-live-executions", "sallyport.sandbox.mode");
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({
        "sallyport.host, 0.0.0.0, sallyport.allow-remote",
        "sallyport.sandbox.require-os-isolation, true, scripts run inside the server"
                + " (sallyport.sandbox.mode=inprocess)",
        "sallyport.db.url, jdbc:oracle:thin:@db, sallyport.db.url",
        "sallyport.jwt.issuers, http://id.example, must be an https URL",
        "sallyport.connectors.listen-address, 0.0.0.0:5672, sallyport.connectors.keystore",
        "sallyport.tls.mode, tls, sallyport.tls.keystore",
        "sallyport.tls.mode, mtls, sallyport.tls.keystore",
        "sallyport.tls.keystore, /nowhere, sallyport.tls.keystore-password",
    })
    void startWithAnInvalidSettingEndsTheProcessAndNamesIt(String setting, String value, String named) {
        ServerSetup setup = ServerSetup.create("impossible");
        if (setting.equals("sallyport.sandbox.require-os-isolation")) {
            setup = setup.with("sallyport.sandbox.mode", "inprocess");
        }
        try (SallyportServer wrong = setting.equals("sallyport.host")
                ? setup.withHost(value).launch()
                : setup.with(setting, value).launch()) {
            assertThat(wrong.awaitExitCode(START_FAILURE_TIMEOUT)).isEqualTo(EXIT_CANNOT_START);
            assertThat(wrong.logText()).contains(named);
        }
    }
}
