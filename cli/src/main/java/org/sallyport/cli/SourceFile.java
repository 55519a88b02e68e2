package org.sallyport.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A file that holds a script.
 *
 * @param given as the command line names it; {@code -} for standard input
 */
record SourceFile(String given) {

    /** What it is called in messages. */
    String name() {
        return given.equals("-") ? "standard input" : given;
    }

    /** The language that its name speaks for. */
    String language() {
        String name = given.toLowerCase(Locale.ROOT);
        return name.endsWith(".ts") || name.endsWith(".mts") ? "typescript" : "javascript";
    }

    /** What it holds. */
    String text(Surroundings surroundings) {
        byte[] bytes;
        try {
            bytes = given.equals("-")
                    ? surroundings.input().readAllBytes()
                    : Files.readAllBytes(existing(surroundings));
        } catch (IOException e) {
            throw new CommandFailure(Exit.USAGE, name() + " cannot be read: " + e.getMessage());
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new CommandFailure(Exit.USAGE, name() + " is not a text in UTF-8.");
        }
    }

    private Path existing(Surroundings surroundings) {
        Path file = surroundings.file(given);
        if (Files.isDirectory(file)) {
            throw new CommandFailure(Exit.USAGE, given + " is a directory, not a script.");
        }
        if (!Files.exists(file)) {
            throw new CommandFailure(Exit.USAGE, "There is no file " + given + " in " + surroundings.directory() + ".");
        }
        return file;
    }
}
