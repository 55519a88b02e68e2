package org.sallyport.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sallyport.it.harness.Checkout;

/** The page on hostile input lists the rows there are. {@code -Dhostile.page=write} writes the list. */
class HostilePageIT {
    private static final String MARK = "<!-- rows -->\n";

    @Test
    void thePageListsTheRows() throws IOException {
        Path page = Checkout.home().resolve("docs/hostile.md");
        String text = Files.readString(page);
        String expected = text.substring(0, text.indexOf(MARK) + MARK.length()) + list();
        if (System.getProperty("hostile.page", "").equals("write")) {
            Files.writeString(page, expected);
        }
        assertThat(Files.readString(page)).isEqualTo(expected);
    }

    private static String list() {
        return "\n| row | what | modes | |\n|---|---|---|---|\n"
                + Rows.all().stream().map(HostilePageIT::line).collect(Collectors.joining());
    }

    private static String line(Row row) {
        if (row.attack().isEmpty()) {
            return "| " + row.id() + " | " + row.title() + " | | " + row.remark() + " |\n";
        }
        String modes = row.modes().equals(Set.of(Mode.values()))
                ? ""
                : row.modes().stream().map(Mode::setting).sorted().collect(Collectors.joining(", "));
        return "| " + row.id() + " | " + row.title() + " | " + modes + " | " + (row.fast() ? "" : "slow") + " |\n";
    }

    @Test
    void everyLetterOfTheListHasItsRows() {
        List<String> ids = Rows.all().stream().map(Row::id).toList();

        assertThat(ids).contains("A01", "B01", "C01", "D01");
        assertThat(ids.stream().filter(id -> id.startsWith("X"))).hasSizeGreaterThan(30);
    }
}
