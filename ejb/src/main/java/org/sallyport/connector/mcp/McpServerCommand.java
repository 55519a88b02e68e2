package org.sallyport.connector.mcp;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How the process of an MCP server is started and ended. It is given the environment that programs need to run, and what
 * was configured, but nothing else that this process has.
 *
 * @param command the program
 * @param arguments its arguments, never read by a shell
 * @param environment variables besides the usual ones
 * @param directory where it runs
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
