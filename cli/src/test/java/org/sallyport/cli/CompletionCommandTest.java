package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests the completion in a real shell. */
@DisabledOnOs(OS.WINDOWS)
class CompletionCommandTest {
    @TempDir
    Path directory;

    private String completionScript(String shell) throws Exception {
        try (FakeService service = new FakeService()) {
            CommandLineFixture sallyport = new CommandLineFixture(directory, service);
            assertThat(sallyport.run("completion", shell)).isZero();
            return sallyport.out();
        }
    }

    /** Returns the completions that bash offers for the last of these words. */
    private List<String> completionsFor(String... words) throws Exception {
        Path script = Files.writeString(directory.resolve("completion"), completionScript("bash"));
        String ask =
                "source " + script + "\ncompopt() { :; } # the real one is for the shell that completes\nCOMP_WORDS=("
                        + String.join(" ", words) + ")\nCOMP_CWORD=$((" + words.length
                        + "-1))\n_complete_sallyport\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
        Process bash = new ProcessBuilder("bash", "--norc", "-c", ask)
                .redirectErrorStream(true)
                .start();
        String answer = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return answer.lines().map(String::strip).toList();
    }

    @Test
    void commandsOptionsAndValuesAreCompleted() throws Exception {
        assertThat(completionsFor("sallyport", "st")).containsExactly("status");
        assertThat(completionsFor("sallyport", "run", "--dry")).containsExactly("--dry-run");
        assertThat(completionsFor("sallyport", "keys", "cr")).containsExactly("create");
        assertThat(completionsFor("sallyport", "run", "--prof")).contains("--profile");
        assertThat(completionsFor("sallyport", "completion", "z")).containsExactly("zsh");
    }

    @Test
    void zshUsesTheBashCompletion() throws Exception {
        assertThat(completionScript("zsh")).contains("bashcompinit", "complete -F _complete_sallyport");
    }

    @Test
    void unknownShellIsAUsageError() throws Exception {
        try (FakeService service = new FakeService()) {
            CommandLineFixture sallyport = new CommandLineFixture(directory, service);
            assertThat(sallyport.run("completion", "fish")).isEqualTo(ExitCode.USAGE.code());
            assertThat(sallyport.err()).contains("bash or zsh");
        }
    }
}
