package org.sallyport.sandbox.parser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NestingLimitTest {
    private static final int MANY = 5_000;

    @Test
    void longTextIsNotDeep() {
        String letters = "a".repeat(200_000);
        assertThat(NestingLimit.isTooDeep("const text = '" + letters + "'; return text.length;"))
                .isFalse();
        assertThat(NestingLimit.isTooDeep("// " + letters + "\nreturn 1")).isFalse();
        assertThat(NestingLimit.isTooDeep("return [" + "1, ".repeat(MANY) + "]"))
                .isFalse();
        assertThat(NestingLimit.isTooDeep("return 1" + " + 1".repeat(MANY))).isFalse();
        assertThat(NestingLimit.isTooDeep("return x" + ".then(a => a < 1)".repeat(MANY)))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'((((' + \"[[[[\" + '\\'((((';",
                "`(((( ${ '((((' + `[[${ { a: 1 }.a }` } ((((`;",
                "/* (((( */ // ((((\n",
                "x = /[/((((]\\/((((/.test('a') ? a / b : c / d;",
                "if (a) /[({]/.test(b);",
                "if (a) b()\nelse c()\n",
                "while (a) b()\n",
                "const f = (a) => a < b\n",
                "const f = a => b => a < b\n",
                "class A extends B {}\n",
                "switch (a) { case 1: case 2: b(); default: c() }\n",
                "for (const a of b) { if (a) { c({ a: 1, b: [a, ...d] }) } else if (b) { e() } else { f() } }\n",
                "x = a ? b : c\n",
                "function f<A extends B, C extends D>(a: A): Promise<Array<C>> { return a as any }\n",
                "interface A extends B { a: string; b: C<D<E>> }\ntype F = A extends B ? C : D\n"
            })
    void sequentialElementsAreNotDeep(String piece) {
        assertThat(NestingLimit.isTooDeep(piece.repeat(MANY))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(",
                "[",
                "{",
                "{a:",
                "f(",
                "`${",
                "if(1)\n",
                "if(1){",
                "if(1);else ",
                "while(1)",
                "for(;;)",
                "for await(a of b)",
                "do ",
                "with(a)",
                "a:",
                "a=>",
                "(a)=>",
                "(a={})=>",
                "A<",
                "<a>",
                "class extends ",
                "class extends f(",
                "()=>{",
                "'(';(",
                "/[/(]/;(",
                "// `\n(",
                "/*`*/("
            })
    void nestedElementsAreDeep(String piece) {
        assertThat(NestingLimit.isTooDeep("x = " + piece.repeat(MANY))).isTrue();
    }

    @Test
    void malformedScriptIsScannedToItsEnd() {
        for (String piece : new String[] {"'", "`", "/*", "/", "}", ")", "${", "\\", "`${`${"}) {
            assertThat(NestingLimit.isTooDeep(piece.repeat(MANY) + "'"))
                    .as(piece)
                    .isIn(true, false);
        }
    }
}
