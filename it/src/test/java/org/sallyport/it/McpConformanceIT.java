package org.sallyport.it;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.CommandResult;
import org.sallyport.it.harness.McpTestClient;
import org.sallyport.it.harness.NodeJsPackages;
import org.sallyport.it.harness.NodeJsProcess;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** The scenarios of the MCP conformance suite for what the endpoint offers and for what a backend does. */
@Tag("slow")
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class McpConformanceIT {
    private static final String TOOLS =
            "needs a tool with a name of the suite; tools of capabilities are named capability-…";
    private static final String RESOURCES = "the endpoint offers no resources";
    private static final String PROMPTS = "the endpoint offers no prompts";
    private static final String AUTHORIZATION = "credentials of backends are settings, and no user is asked for them";

    static final Set<String> SERVER_SCENARIOS =
            Set.of("server-initialize", "ping", "tools-list", "server-sse-multiple-streams");

    private static final Map<String, String> OTHER_SERVER_SCENARIOS = Map.ofEntries(
            entry("completion-complete", "the endpoint completes no arguments"),
            entry("dns-rebinding-protection", "for servers without authentication, as its description says"),
            entry("elicitation-sep1034-defaults", TOOLS),
            entry("elicitation-sep1330-enums", TOOLS),
            entry("json-schema-2020-12", TOOLS),
            entry("logging-set-level", "the endpoint sends no log messages"),
            entry("prompts-get-embedded-resource", PROMPTS),
            entry("prompts-get-simple", PROMPTS),
            entry("prompts-get-with-args", PROMPTS),
            entry("prompts-get-with-image", PROMPTS),
            entry("prompts-list", PROMPTS),
            entry("resources-list", RESOURCES),
            entry("resources-read-binary", RESOURCES),
            entry("resources-read-text", RESOURCES),
            entry("resources-subscribe", RESOURCES),
            entry("resources-templates-read", RESOURCES),
            entry("resources-unsubscribe", RESOURCES),
            entry("server-sse-polling", TOOLS),
            entry("tools-call-audio", TOOLS),
            entry("tools-call-elicitation", TOOLS),
            entry("tools-call-embedded-resource", TOOLS),
            entry("tools-call-error", TOOLS),
            entry("tools-call-image", TOOLS),
            entry("tools-call-mixed-content", TOOLS),
            entry("tools-call-sampling", TOOLS),
            entry("tools-call-simple-text", TOOLS),
            entry("tools-call-with-logging", TOOLS),
            entry("tools-call-with-progress", TOOLS));

    static final Set<String> CLIENT_SCENARIOS = Set.of("initialize", "tools_call", "sse-retry");

    private static final Map<String, String> OTHER_CLIENT_SCENARIOS =
            Map.of("elicitation-sep1034-client-defaults", "backends do not let servers ask users");

    private final SallyportServer server;
    private final TestTenant tenant;
    private NodeJsProcess proxy;
    private String proxyUrl;

    McpConformanceIT(SallyportServer server, TestTenant tenant) {
        this.server = server;
        this.tenant = tenant;
    }

    @BeforeAll
    void startProxy() {
        proxy = NodeJsProcess.start(
                source("proxy.mjs"),
                Map.of("API_KEY", tenant.key()),
                server.url().toString());
        proxy.awaitOutput(".");
        Matcher port = Pattern.compile("listening on (\\d+)\\.").matcher(proxy.output());
        assertThat(port.find()).as(proxy.output()).isTrue();
        proxyUrl = "http://127.0.0.1:" + port.group(1);
    }

    @AfterAll
    void stopProxy() {
        proxy.close();
    }

    private static Path source(String file) {
        return CheckoutPaths.root().resolve("it/src/test/node-conformance").resolve(file);
    }

    private static CommandResult runSuite(Map<String, String> environment, String... arguments) {
        List<String> command = new ArrayList<>(NodeJsPackages.conformanceCommand());
        command.addAll(List.of(arguments));
        return CommandResult.run(environment, command);
    }

    @ParameterizedTest
    @FieldSource("SERVER_SCENARIOS")
    void endpointIsAConformingServer(String scenario) {
        CommandResult result =
                runSuite(Map.of(), "server", "--url", proxyUrl + McpTestClient.MCP_PATH, "--scenario", scenario);

        assertThat(result.exitCode()).as(result.toString()).isZero();
    }

    @ParameterizedTest
    @FieldSource("CLIENT_SCENARIOS")
    void backendIsAConformingClient(String scenario) {
        CommandResult result = runSuite(
                Map.of("SERVICE", server.url().toString(), "API_KEY", server.adminKey()),
                "client",
                "--command",
                "node " + source("client.mjs"),
                "--scenario",
                scenario,
                "--timeout",
                "120000");

        assertThat(result.exitCode()).as(result.toString()).isZero();
    }

    @Test
    void everyScenarioOfTheSuiteIsRunOrHasAReason() {
        String list = runSuite(Map.of(), "list").expectExitCode(0).output();
        int clients = list.indexOf("Client scenarios");

        assertThat(scenarios(list.substring(0, clients)))
                .isEqualTo(union(SERVER_SCENARIOS, OTHER_SERVER_SCENARIOS.keySet()));
        assertThat(scenarios(list.substring(clients)).stream().filter(name -> !name.startsWith("auth/")))
                .as("others: " + AUTHORIZATION)
                .containsExactlyElementsOf(union(CLIENT_SCENARIOS, OTHER_CLIENT_SCENARIOS.keySet()));
    }

    private static Set<String> scenarios(String list) {
        Set<String> names = new TreeSet<>();
        Matcher lines = Pattern.compile("(?m)^ +- (\\S+)").matcher(list);
        while (lines.find()) {
            names.add(lines.group(1));
        }
        return names;
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        return new TreeSet<>(Stream.concat(some.stream(), others.stream()).toList());
    }
}
