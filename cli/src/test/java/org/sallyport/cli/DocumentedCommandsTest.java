package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Checks that the commands and options in the documentation exist, also in blocks that no test runs. */
class DocumentedCommandsTest {
    private static final Path HOME = Path.of("..");

    /** Matches up to a character that the shell interprets, or that ends an example within a line. */
    private static final Pattern COMMAND_LINE = Pattern.compile("(?:\\./|`)sallyport ([^`|<>;&)#\\n]*)");

    /** Run by the launcher of a checkout, not by the command. */
    private static final Set<String> LAUNCHER_COMMANDS = Set.of("bench", "chaos", "hostile");

    private static final Pattern WORD = Pattern.compile("'[^']*'?|\"[^\"]*\"?|\\S+");

    @Test
    void documentedCommandsAreValid() throws IOException {
        List<String> wrong = new ArrayList<>();
        int seen = 0;
        for (Path page : pages()) {
            Matcher typed = COMMAND_LINE.matcher(Files.readString(page));
            while (typed.find()) {
                seen++;
                findMistake(typed.group(1)).ifPresent(mistake -> wrong.add(page.getFileName() + ": " + mistake));
            }
        }
        assertThat(seen).isGreaterThan(100);
        assertThat(wrong).isEmpty();
    }

    @Test
    void misspelledCommandsAreDetected() {
        assertThat(findMistake("list --state failed --limit 1 --json")).isEmpty();
        assertThat(findMistake("--profile laptop keys")).isEmpty();
        assertThat(findMistake("bench smoke --warm-up 60")).isEmpty();
        assertThat(findMistake("lits --state failed")).contains("lits --state failed: no command 'lits'");
        assertThat(findMistake("keys create n --rolle x")).contains("keys create n --rolle x: no option '--rolle'");
    }

    private static Optional<String> findMistake(String typed) {
        CommandLine command = CommandRegistryTest.ALL_COMMANDS;
        boolean named = false;
        List<String> words =
                WORD.matcher(typed).results().map(word -> word.group()).toList();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            CommandLine below = command.getSubcommands().get(word);
            if (below != null) {
                command = below;
                named = true;
            } else if (LAUNCHER_COMMANDS.contains(word) && !named) {
                return Optional.empty();
            } else if (word.matches("--?[a-z].*")) {
                var option = command.getCommandSpec().optionsMap().get(word.replaceFirst("=.*", ""));
                if (option == null) {
                    return Optional.of(typed + ": no option '" + word + "'");
                }
                i += option.arity().max() > 0 && !named ? 1 : 0;
            } else if (!named && word.matches("[a-z-]+")) {
                return Optional.of(typed + ": no command '" + word + "'");
            }
        }
        return Optional.empty();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(HOME.resolve("docs"))) {
            return Stream.concat(
                            docs.filter(file -> file.toString().endsWith(".md")),
                            Stream.of(HOME.resolve("README.md"), HOME.resolve("examples/README.md")))
                    .toList();
        }
    }
}
