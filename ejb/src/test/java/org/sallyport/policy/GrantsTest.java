package org.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.tool.ToolName;

class GrantsTest {

    @ParameterizedTest
    @CsvSource({
        "demo.*,demo.echo,true",
        "demo.*,demos.echo,false",
        "*,demo.echo,true",
        "demo.e*o,demo.echo,true",
        "demo.e*o,demo.echos,false",
        "demo.echo,demo.echo,true",
        "demo.echo,demo.echo2,false",
        "demo.echo,demo.ech,false",
        "*.echo,demo.echo,true",
        "**,demo.echo,true",
        "'',demo.echo,false",
    })
    void aGlobNamesTools(String glob, String tool, boolean allowed) {
        assertThat(new Grants(List.of(glob)).allows(ToolName.parse(tool))).isEqualTo(allowed);
    }

    @Test
    void nothingIsGrantedByNoGlob() {
        assertThat(new Grants(List.of()).allows(ToolName.parse("demo.echo"))).isFalse();
    }

    @Test
    void aHostileGlobCostsNoTime() {
        String glob = "*a".repeat(2_000) + "b";
        String name = "a".repeat(20_000);
        Assertions.assertThatCode(() -> org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
                        Duration.ofSeconds(10), () -> Grants.matches(glob, name)))
                .doesNotThrowAnyException();
    }
}
