package org.sallyport.connector.mcp;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The command line and environment of an MCP server process. The process receives the environment variables that
 * programs need and the configured ones, but no other variables of this process.
 *
 * @param command the program
 * @param arguments passed directly to the program, without a shell
 * @param environment variables besides the inherited ones
 * @param directory working directory
 */
record McpServerCommand(
        String command, List<String> arguments, Map<String, String> environment, Optional<Path> directory) {
    private static final Set<String> INHERITED_VARIABLES =
            Set.of("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SHELL", "TERM");

    Process start() throws IOException {
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.environment().keySet().retainAll(INHERITED_VARIABLES);
        builder.environment().putAll(environment);
        directory.ifPresent(path -> builder.directory(path.toFile()));
        return builder.start();
    }
}
