package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** An example of docs/script.md: its code and the expected outcome written after it. */
record DocumentedScript(SourceLanguage language, String code, List<String> outcome) {
    private static final Pattern EXAMPLE = Pattern.compile("```(js|ts) run\n(.*?)```", Pattern.DOTALL);
    private static final Pattern OUTCOME = Pattern.compile("// (→|prints|warns|fails) (.*)");

    static List<DocumentedScript> all() {
        try {
            Matcher matcher = EXAMPLE.matcher(Files.readString(Path.of("..", "docs", "script.md")));
            List<DocumentedScript> examples = new ArrayList<>();
            while (matcher.find()) {
                List<String> lines = matcher.group(2).lines().toList();
                List<String> outcome = lines.stream()
                        .filter(line -> OUTCOME.matcher(line).matches())
                        .toList();
                assertThat(outcome).as(matcher.group(2)).isNotEmpty();
                examples.add(new DocumentedScript(
                        matcher.group(1).equals("ts") ? SourceLanguage.TYPESCRIPT : SourceLanguage.JAVASCRIPT,
                        lines.stream().filter(line -> !outcome.contains(line)).collect(Collectors.joining("\n")),
                        outcome));
            }
            return examples;
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    void check(SessionResult end, String printed) {
        StringBuilder wanted = new StringBuilder();
        for (String line : outcome) {
            Matcher matcher = OUTCOME.matcher(line);
            assertThat(matcher.matches()).isTrue();
            String words = matcher.group(2);
            switch (matcher.group(1)) {
                case "prints" ->
                    wanted.append(wanted.isEmpty() ? "OUT:" : "").append(words).append('\n');
                case "warns" ->
                    wanted.append(wanted.isEmpty() ? "ERR:" : "").append(words).append('\n');
                case "fails" -> {
                    String[] parts = words.split(": ", 2);
                    assertThat(end).isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
                        assertThat(threw.code()).isEqualTo(parts[0]);
                        assertThat(threw.message()).contains(parts[1]);
                    });
                }
                default ->
                    assertThat(end)
                            .isInstanceOfSatisfying(
                                    SessionResult.ScriptReturned.class,
                                    returned -> assertThat(returned.result()
                                                    .replaceAll("\"durationMillis\":\\d+", "\"durationMillis\":0"))
                                            .isEqualTo(words));
            }
        }
        assertThat(printed).isEqualTo(wanted.toString());
    }

    @Override
    public String toString() {
        return code.lines().findFirst().orElse("");
    }
}
