package org.sallyport.sandbox.directcall;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.parser.ReferenceScan;

class ToolReferenceTest {
    private static final List<GuestTool> TOOLS =
            List.of(new GuestTool("demo", "add"), new GuestTool("demo", "kv-get"), new GuestTool("my files", "read"));

    private static List<ToolReference> uses(String code) {
        Script script = new Script(code, SourceLanguage.TYPESCRIPT);
        return ToolReference.findIn(script, ReferenceScan.of(script), TOOLS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "const a = await demo.add({a}); return a       | demo.add true 1:17",
                "return [tools.demo.add(1), 2]                 | demo.add true 1:9",
                "await Promise.all([1].map(x => demo.kv_get(x)))| demo.kv-get true 1:32",
                "if (a) await my_files.read(b)                 | my files.read true 1:14",
                "if (a) await demo.ad(b)                       | demo.ad false 1:14",
                "if (a) await mcp.other.thing(b)               | other.thing false 1:14",
                "if (a) await other.thing(b)                   | ''",
                "a.demo.add(b); // demo.add                    | ''",
                "return 'demo.add' + /demo.add/.source + `demo.add` | ''",
                "return `${demo.add(x)}`                       | demo.add true 1:11",
            })
    void toolReferencesHaveTheirPositions(String code, String expected) {
        List<String> found = uses(code).stream()
                .map(use -> use.tool().backend() + "." + use.tool().tool() + " " + use.exists() + " "
                        + use.position().line() + ":" + use.position().column())
                .toList();
        assertThat(found).isEqualTo(expected.isEmpty() ? List.of() : List.of(expected));
    }

    @Test
    void singleCallHasItsArguments() {
        assertThat(uses("return demo.add({ a: 1, b: [true] })"))
                .extracting(ToolReference::arguments)
                .containsExactly(Optional.of("{\"a\":1,\"b\":[true]}"));
        assertThat(uses("{\"tool\": \"demo.nope\", \"arguments\": {}}"))
                .extracting(ToolReference::exists)
                .containsExactly(false);
    }

    @Test
    void textThatIsValidAsItStandsIsScannedAsItStands() {
        Script script = new Script("""
                const usage = 'none' /* Usage:
                ```js
                demo.kv_get({})
                ```
                */
                return demo.add({ a: usage });
                """, SourceLanguage.JAVASCRIPT);

        assertThat(ReferenceScan.ofValid(script, false).paths())
                .extracting(ReferenceScan.ReferencePath::names)
                .containsExactly(List.of("demo", "add"));
        assertThat(ReferenceScan.ofValid(script, true).paths())
                .extracting(ReferenceScan.ReferencePath::names)
                .containsExactly(List.of("demo", "kv_get"));
    }

    @Test
    void modulesAreFoundByTheirLiteralNames() {
        ReferenceScan mentions = ReferenceScan.of(new Script("""
                import a from 'lodash';
                import 'side';
                const b = require("b"), c = await import(`c`), d = require(name);
                // import e from 'e'
                """, SourceLanguage.JAVASCRIPT));

        assertThat(mentions.modules())
                .extracting(ReferenceScan.ModuleReference::name)
                .containsExactly("lodash", "side", "b", "c");
        assertThat(mentions.modules().get(2).position().line()).isEqualTo(3);
    }

    @Test
    void anyTextCanBeScanned() {
        for (String text : List.of("", ".", "a.", "}}}", "`${", "/*", "'", "demo.", "\u0000", "x.".repeat(10_000))) {
            assertThat(uses(text)).isEmpty();
        }
    }
}
