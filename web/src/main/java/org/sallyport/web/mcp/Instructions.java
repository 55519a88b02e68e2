package org.sallyport.web.mcp;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Setting;

/** What agents are told of the service when they come in. */
final class Instructions {
    private Instructions() {}

    /** The text, with the limits that are in force. */
    static String text(Configuration configuration) {
        try (InputStream in = Objects.requireNonNull(Instructions.class.getResourceAsStream("instructions.md"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .strip()
                    .replace(
                            "{wallSeconds}",
                            Long.toString(configuration.get(LimitSettings.WALL).toSeconds()))
                    .replace(
                            "{cpuSeconds}",
                            Long.toString(configuration.get(LimitSettings.CPU).toSeconds()))
                    .replace("{toolCalls}", number(configuration, LimitSettings.CALLS))
                    .replace("{concurrentCalls}", number(configuration, LimitSettings.CONCURRENT_CALLS))
                    .replace("{outputChars}", number(configuration, LimitSettings.OUTPUT))
                    .replace("{sourceBytes}", number(configuration, LimitSettings.SOURCE))
                    .replace(
                            "{waitSeconds}",
                            Long.toString(configuration.get(LimitSettings.WAIT).toSeconds()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String number(Configuration configuration, Setting<Long> setting) {
        return Long.toString(configuration.get(setting));
    }
}
