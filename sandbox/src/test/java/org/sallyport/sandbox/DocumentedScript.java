package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.sallyport.testsupport.DocumentedExample;

/** An example of docs/script.md, as the sandbox runs it. */
record DocumentedScript(DocumentedExample example) {
    static List<DocumentedScript> all() {
        return DocumentedExample.readAll(Path.of("..", "docs", "script.md")).stream()
                .map(DocumentedScript::new)
                .toList();
    }

    SourceLanguage language() {
        return example.language().equals("ts") ? SourceLanguage.TYPESCRIPT : SourceLanguage.JAVASCRIPT;
    }

    String code() {
        return example.code();
    }

    void check(SessionResult end, String printed) {
        StringBuilder wanted = new StringBuilder();
        for (DocumentedExample.DocumentedOutcome outcome : example.outcomes()) {
            switch (outcome.kind()) {
                case "prints" ->
                    wanted.append(wanted.isEmpty() ? "OUT:" : "")
                            .append(outcome.text())
                            .append('\n');
                case "warns" ->
                    wanted.append(wanted.isEmpty() ? "ERR:" : "")
                            .append(outcome.text())
                            .append('\n');
                case "fails" -> {
                    String[] parts = outcome.text().split(": ", 2);
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
                                            .isEqualTo(outcome.text()));
            }
        }
        assertThat(printed).isEqualTo(wanted.toString());
    }

    @Override
    public String toString() {
        return example.toString();
    }
}
