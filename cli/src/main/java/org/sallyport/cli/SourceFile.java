package org.sallyport.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * A file that holds a script.
 *
 * @param argument file name from the command line; {@code -} for standard input
 */
record SourceFile(String argument) {

    /** Returns the name for messages. */
    String name() {
        return argument.equals("-") ? "standard input" : argument;
    }

    /** Returns the language by the extension: .ts, .mts and .cts, or .js, .mjs and .cjs; else empty. */
    Optional<String> language() {
        String name = argument.toLowerCase(Locale.ROOT);
        if (name.endsWith(".ts") || name.endsWith(".mts") || name.endsWith(".cts")) {
            return Optional.of("typescript");
        }
        return name.endsWith(".js") || name.endsWith(".mjs") || name.endsWith(".cjs")
                ? Optional.of("javascript")
                : Optional.empty();
    }

    /** Returns the text. Throws {@link CommandException} if the file cannot be read or is not UTF-8. */
    String read(CliEnvironment surroundings) {
        byte[] bytes;
        try {
            bytes = argument.equals("-")
                    ? surroundings.standardInput().readAllBytes()
                    : Files.readAllBytes(resolveExisting(surroundings));
        } catch (IOException e) {
            throw new CommandException(ExitCode.USAGE, name() + " cannot be read: " + e.getMessage());
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new CommandException(ExitCode.USAGE, name() + " is not UTF-8 text.");
        }
    }

    private Path resolveExisting(CliEnvironment surroundings) {
        Path file = surroundings.resolveFile(argument);
        if (Files.isDirectory(file)) {
            throw new CommandException(ExitCode.USAGE, argument + " is a directory, not a script.");
        }
        if (!Files.exists(file)) {
            throw new CommandException(
                    ExitCode.USAGE, "There is no file " + argument + " in " + surroundings.directory() + ".");
        }
        return file;
    }
}
