package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Types behind references and combinations of schemas. */
class TypeScriptTypesTest {
    private static String render(String schema) throws JsonProcessingException {
        return TypeScriptTypes.render(new ObjectMapper().readTree(schema), "");
    }

    /** Renders in one line. */
    private static String renderInLine(String schema) throws JsonProcessingException {
        return render(schema.replace('`', '"')).replaceAll("\\s+", " ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '@',
            value = {
                // References.
                "{`$ref`:`#/$defs/a`,`$defs`:{`a`:{`type`:`string`}}} | string",
                "{`$ref`:`#/definitions/a~1b%20c`,`definitions`:{`a/b c`:{`type`:`string`}}} | string",
                "{`items`:{`$ref`:`#/$defs/a`},`type`:`array`,`$defs`:{`a`:{`enum`:[1,2]}}} | @(1 | 2)[]@",
                "{`properties`:{`a`:{`$ref`:`#/$defs/a`}},`$defs`:{`a`:{`type`:`number`}}} | { a?: number; }",
                "{`$ref`:`#/$defs/a`} | unknown",
                "{`$ref`:`other.json`} | unknown",
                "{`$ref`:`#`} | unknown",
                // Members beside a reference, and allOf.
                "{`$ref`:`#/$defs/a`,`properties`:{`l`:{`type`:`string`}},`required`:[`l`],"
                        + "`$defs`:{`a`:{`properties`:{`q`:{`type`:`number`}}}}} | { l: string; q?: number; }",
                "{`allOf`:[{`$ref`:`#/$defs/p`},{`properties`:{`age`:{`type`:`integer`}},`required`:[`age`]}],"
                        + "`$defs`:{`p`:{`type`:`object`,`properties`:{`name`:{`type`:`string`}},`required`:[`name`]}}}"
                        + " | { name: string; age: number; }",
                "{`allOf`:[{`properties`:{`n`:{`type`:`string`}}},{`properties`:{`n`:{`maxLength`:2}}}]}"
                        + " | { n?: string; }",
                "{`allOf`:[{`type`:`string`},{`maxLength`:2}]} | string",
                "{`type`:`object`,`properties`:{`t`:{`const`:1}},`anyOf`:[{`properties`:{`x`:{`type`:`null`}}},"
                        + "{`properties`:{`y`:{`type`:`null`}}}]}"
                        + " | @{ t?: 1; } & ({ x?: null; } | { y?: null; })@",
                "{`type`:`object`,`properties`:{`t`:{`const`:1}},`anyOf`:[{`required`:[`t`]},{`required`:[`u`]}]}"
                        + " | { t?: 1; }",
                "{`type`:`string`,`anyOf`:[{`const`:`a`},{`const`:`b`}]} | @\"a\" | \"b\"@",
                "{`oneOf`:[{`type`:`object`,`required`:[`a`]},{`type`:`object`,`required`:[`b`]}]}"
                        + " | Record<string, unknown>",
                // Tuples and members that are not named.
                "{`type`:`array`,`prefixItems`:[{`type`:`number`},{`type`:`string`}]} | [number, string]",
                "{`type`:`array`,`prefixItems`:[{`type`:`number`}],`items`:false} | [number]",
                "{`type`:`array`,`prefixItems`:[{`type`:`number`}],`items`:{`type`:`string`}} | [number, ...string[]]",
                "{`type`:`array`,`items`:[{`type`:`number`}],`additionalItems`:{`type`:`null`}} | [number, ...null[]]",
                "{`properties`:{`a`:{`type`:`string`}},`additionalProperties`:{`type`:`string`}}"
                        + " | { a?: string; [key: string]: string; }",
                "{`type`:`object`,`additionalProperties`:{`type`:`integer`}} | Record<string, number>",
                "{`patternProperties`:{`^x`:{`type`:`integer`}}} | Record<string, number>",
                // Null.
                "{`type`:`string`,`nullable`:true} | @string | null@",
                "{`allOf`:[{`type`:`string`}],`nullable`:true} | @string | null@",
                "{`type`:[`object`,`null`],`properties`:{`a`:{`type`:`string`}}} | @{ a?: string; } | null@",
            })
    void schemaIsRenderedWithItsParts(String schema, String type) throws JsonProcessingException {
        assertThat(renderInLine(schema)).isEqualTo(type);
    }

    @Test
    void recursiveSchemaEndsAfterTwoLevels() throws JsonProcessingException {
        assertThat(renderInLine("{`properties`:{`root`:{`$ref`:`#/$defs/n`}},`$defs`:{`n`:{`properties`:"
                        + "{`v`:{`type`:`number`},`kids`:{`type`:`array`,`items`:{`$ref`:`#/$defs/n`}}}}}}"))
                .isEqualTo("{ root?: { v?: number; kids?: { v?: number; kids?: unknown[]; }[]; }; }");
    }

    @Test
    void descriptionOfAReferenceCountsBeforeTheOneOfItsTarget() throws JsonProcessingException {
        assertThat(renderInLine("{`properties`:{`to`:{`$ref`:`#/$defs/a`},`from`:{`$ref`:`#/$defs/a`,`description`:"
                        + "`where it comes from`}},`$defs`:{`a`:{`type`:`string`,`description`:`a place`}}}"))
                .isEqualTo("{ /** * a place */ to?: string; /** * where it comes from */ from?: string; }");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '@',
            value = {
                "{} | false",
                "{`required`:[]} | false",
                "{`required`:[`a`]} | true",
                "{`$ref`:`#/$defs/a`,`$defs`:{`a`:{`required`:[`q`]}}} | true",
                "{`allOf`:[{},{`required`:[`q`]}]} | true",
                "{`oneOf`:[{`required`:[`a`]},{`required`:[`b`]}]} | true",
                "{`oneOf`:[{`required`:[`a`]},{}]} | false",
                "{`$ref`:`#`} | false",
            })
    void requiredMembersAreFoundInAllParts(String schema, boolean required) throws JsonProcessingException {
        assertThat(TypeScriptTypes.requiresMembers(new ObjectMapper().readTree(schema.replace('`', '"'))))
                .isEqualTo(required);
    }

    @Test
    @Timeout(20)
    void typeOfASchemaThatMultipliesIsBounded() throws JsonProcessingException {
        StringBuilder schema = new StringBuilder("{\"$ref\":\"#/$defs/l0\",\"$defs\":{");
        for (int i = 0; i < 30; i++) {
            schema.append("\"l" + i + "\":{\"description\":\"" + "d".repeat(1_000) + "\",\"properties\":{");
            for (int j = 0; j < 20; j++) {
                schema.append("\"p" + j + "\":{\"$ref\":\"#/$defs/l" + (i + 1) + "\"},");
            }
            schema.append("\"q\":{}}},");
        }
        assertThat(render(schema + "\"l30\":{}}}").length()).isBetween(10_000, 1_000_000);
    }

    /** Large parts behind many references. */
    @ParameterizedTest
    @ValueSource(strings = {"const", "enum", "member", "required", "type"})
    @Timeout(30)
    void typeOfASchemaThatRepeatsLargePartsIsBounded(String kind) throws JsonProcessingException {
        String longText = "\"" + "x".repeat(40_000) + "\"";
        String large = switch (kind) {
            case "const" -> "\"const\":" + longText;
            case "enum" -> "\"enum\":[" + "\"é\",".repeat(50_000) + longText + "]";
            case "member" -> "\"properties\":{" + longText + ":{}}";
            case "required" -> "\"required\":[" + "\"b\",".repeat(50_000) + "\"c\"],\"properties\":{\"a\":{}}";
            default -> "\"type\":[" + "\"object\",".repeat(20_000) + "\"null\"],\"properties\":{\"a\":{}}";
        };
        String references = "{\"$ref\":\"#/$defs/large\"},".repeat(4_000);
        String schema = "{\"anyOf\":[" + references + "{}],\"items\":[" + references + "{}],"
                + "\"properties\":{\"a\":{\"anyOf\":[" + references + "{}]}},\"$defs\":{\"large\":{" + large + "}}}";
        assertThat(render(schema).length()).isLessThan(1_000_000);
        assertThat(TypeScriptTypes.requiresMembers(new ObjectMapper().readTree(schema)))
                .isFalse();
    }
}
