package org.sallyport.web.mcp;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Setting;

/** The instructions that an agent receives when its session starts. */
final class ServerInstructions {
    private ServerInstructions() {}

    /** The text, with the limits that are in force. */
    static String text(Configuration configuration) {
        try (InputStream in = Objects.requireNonNull(ServerInstructions.class.getResourceAsStream("instructions.md"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .strip()
                    .replace(
                            "{wallSeconds}",
                            Long.toString(configuration
                                    .get(LimitSettings.DEFAULT_WALL_TIME)
                                    .toSeconds()))
                    .replace(
                            "{cpuSeconds}",
                            Long.toString(configuration
                                    .get(LimitSettings.DEFAULT_CPU_TIME)
                                    .toSeconds()))
                    .replace("{toolCalls}", number(configuration, LimitSettings.DEFAULT_TOOL_CALLS))
                    .replace("{concurrentCalls}", number(configuration, LimitSettings.DEFAULT_CONCURRENT_CALLS))
                    .replace("{outputChars}", number(configuration, LimitSettings.DEFAULT_OUTPUT_CHARS))
                    .replace("{sourceBytes}", number(configuration, LimitSettings.MAX_SOURCE_BYTES))
                    .replace(
                            "{waitSeconds}",
                            Long.toString(
                                    configuration.get(LimitSettings.MAX_WAIT).toSeconds()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String number(Configuration configuration, Setting<Long> setting) {
        return Long.toString(configuration.get(setting));
    }
}
