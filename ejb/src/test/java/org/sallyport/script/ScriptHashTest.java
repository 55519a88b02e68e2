package org.sallyport.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ScriptLanguage;

/** Equivalent scripts have the same hash. */
class ScriptHashTest {
    private static final String CODE = "const a = `1\n2`;\nreturn a";

    private static String hash(String code) {
        return ScriptHash.of(ScriptLanguage.JAVASCRIPT, code);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "const a = `1\r\n2`;\r\nreturn a",
                "const a = `1\r2`;\rreturn a",
                "\uFEFFconst a = `1\n2`;\nreturn a",
                "\n  const a = `1\n2`;\nreturn a \n\n"
            })
    void equivalentScriptsHaveTheSameHash(String code) {
        assertThat(hash(code)).isEqualTo(hash(CODE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "const a = `1\n 2`;\nreturn a",
                "const a = `1 \n2`;\nreturn a",
                "const a = `1\n\n2`;\nreturn a",
                "const b = `1\n2`;\nreturn b",
                "const a = `1\n2`;\nreturn a // \uD800"
            })
    void differentScriptsHaveDifferentHashes(String code) {
        assertThat(hash(code)).isNotEqualTo(hash(CODE));
    }

    @Test
    void hashFormatIsStable() {
        assertThat(hash("return 1")).isEqualTo(hash(" return 1 ")).matches("sha256-[0-9a-f]{64}");
        assertThat(ScriptHash.of(ScriptLanguage.TYPESCRIPT, CODE)).isNotEqualTo(hash(CODE));
        assertThat(hash("return '\uD800'")).isNotEqualTo(hash("return '\uDC00'"));
    }
}
