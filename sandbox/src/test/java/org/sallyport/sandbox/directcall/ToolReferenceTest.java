package org.sallyport.sandbox.directcall;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.GuestToolSnapshot;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.parser.ReferenceScan;

class ToolReferenceTest {
    private static final List<GuestTool> TOOLS =
            List.of(new GuestTool("demo", "add"), new GuestTool("demo", "kv-get"), new GuestTool("my files", "read"));

    private static List<ToolReference> uses(String code) {
        return uses(code, GuestToolSnapshot.of(TOOLS));
    }

    private static List<ToolReference> uses(String code, GuestToolSnapshot all) {
        Script script = new Script(code, SourceLanguage.TYPESCRIPT);
        return ToolReference.findIn(script, ReferenceScan.of(script), all);
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
                .map(use -> use.tool().backend() + "." + use.tool().tool() + " " + use.exists() + " " + use.line() + ":"
                        + use.column())
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

    /** The names are those of a tool that was removed, and of a backend without tools. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "return tools.shop.get_user({})              | shop.get-user false",
                "if (a) await shop.get_user(b)               | shop.get-user false",
                "{\"tool\": \"shop.get_user\"}                | shop.get-user false",
                "if (a) await shop.get_user_2(b)             | shop.get_user_2 true",
                "if (a) await tools.my_shop.pay(b)           | my-shop.pay false",
                "{\"tool\": \"my_shop.pay\"}                  | my-shop.pay false",
                "if (a) await tools.my_shop_2.pay(b)         | my_shop.pay true",
            })
    void takenNamesDenoteNoOtherTool(String code, String expected) {
        GuestToolSnapshot all = new GuestToolSnapshot(
                List.of(
                        new GuestTool("shop", "get_user_2", "{}", "shop", "get_user_2", "get_user"),
                        new GuestTool("my_shop", "pay", "{}", "my_shop_2", "pay", "pay")),
                List.of(new GuestTool("shop", "get-user", "{}", "shop", "get_user", "get-user")),
                Map.of("shop", "shop", "my-shop", "my_shop", "my_shop", "my_shop_2"));
        assertThat(uses(code, all))
                .extracting(use -> use.tool().backend() + "." + use.tool().tool() + " " + use.exists())
                .containsExactly(expected);
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
                .extracting(ScriptReferences.ReferencePath::names)
                .containsExactly(List.of("demo", "add"));
        assertThat(ReferenceScan.ofValid(script, true).paths())
                .extracting(ScriptReferences.ReferencePath::names)
                .containsExactly(List.of("demo", "kv_get"));
    }

    @Test
    void modulesAreFoundByTheirLiteralNames() {
        ScriptReferences mentions = ReferenceScan.of(new Script("""
                import a from 'lodash';
                import 'side';
                const b = require("b"), c = await import(`c`), d = require(name);
                // import e from 'e'
                """, SourceLanguage.JAVASCRIPT));

        assertThat(mentions.modules())
                .extracting(ScriptReferences.ModuleReference::name)
                .containsExactly("lodash", "side", "b", "c");
        assertThat(mentions.modules().get(2).line()).isEqualTo(3);
    }

    @Test
    void anyTextCanBeScanned() {
        List<String> texts =
                List.of("", ".", "a.", "}}}", "`${", "/*", "'", "'\\", "`\\", "demo.", "\u0000", "x.".repeat(10_000));
        for (String text : texts) {
            assertThat(uses(text)).isEmpty();
        }
    }
}
