package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.parser.ParsedScript;
import org.sallyport.sandbox.parser.ScriptParser;
import org.sallyport.sandbox.parser.ScriptRole;
import org.sallyport.sandbox.parser.SyntaxCheck;
import org.sallyport.sandbox.parser.SyntaxError;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class ToolDescriptionTest {
    private static ToolSpec spec(String tool, String description, String schema) {
        return new ToolSpec(new ToolName("b", tool), description, new Json(schema), ToolHints.READ_ONLY);
    }

    @Test
    void declarationMatchesTheSchema() {
        assertThat(ToolDescription.declaration(spec("add-up", "Adds.", """
                        {"type":"object","required":["a"],"properties":{"a":{"type":"number","description":"first"},
                        "my-list":{"type":"array","items":{"enum":["x",1,null]}}}}"""), "b", "add_up"))
                .isEqualTo("""
                        interface tools {
                          b: {
                            /**
                             * Adds.
                             */
                            add_up(args: {
                              /**
                               * first
                               */
                              a: number;
                              "my-list"?: ("x" | 1 | null)[];
                            }): Promise<unknown>;
                          };
                        }
                        """);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                                          | unknown
            true                                                        | unknown
            {"type":"string"}                                           | string
            {"type":["integer","null"]}                                 | `number | null`
            {"const":{"a":1}}                                           | unknown
            {"anyOf":[{"type":"string"},{"type":"boolean"}]}            | `string | boolean`
            {"type":"object","additionalProperties":{"type":"number"}}  | Record<string, number>
            {"$ref":"#/definitions/x"}                                  | unknown
            """)
    void schemaIsRenderedAsATypeScriptType(String schema, String type) throws Exception {
        assertThat(TypeScriptTypes.render(new com.fasterxml.jackson.databind.ObjectMapper().readTree(schema), ""))
                .isEqualTo(type);
    }

    @ParameterizedTest
    @ValueSource(strings = {"*/ evil(); /*", "a*\u0000/ evil(); /*", "a\u2028*/ evil()", "*\u0000/", "**//"})
    void descriptionCannotCloseItsComment(String description) {
        String comment = ToolDescription.comment(description, "");
        assertThat(comment.indexOf("*/")).isEqualTo(comment.length() - 3);
        assertThat(comment).doesNotContain("\u2028", "\u0000");
    }

    @Test
    void identifierIsDeclaredAsScriptsWriteIt() {
        assertThat(ToolDescription.declaration(spec("gr__e", "", "{}"), "my_shop", "größe"))
                .isEqualTo("interface tools {\n  my_shop: {\n    größe(args?: unknown): Promise<unknown>;\n  };\n}\n");
    }

    @Test
    void resultIsDeclaredWithTheTargetsOfItsReferences() {
        Json output = new Json("""
                {"type":"object","properties":{"parcel":{"$ref":"#/$defs/Parcel"}},
                "$defs":{"Parcel":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}}""");
        ToolSpec ship =
                new ToolSpec(new ToolName("b", "ship"), "", new Json("{}"), Optional.of(output), ToolHints.EFFECT);
        assertThat(ToolDescription.declaration(ship, "b", "ship").replaceAll("\\s+", " "))
                .contains("ship(args?: unknown): Promise<{ parcel?: { id: string; }; }>;");
    }

    @Test
    void toolNameCannotLeaveItsQuotes() {
        String declaration = ToolDescription.declaration(spec("a", "", "{}"), "b", "a\"]}; evil(); //\n\u2028");
        assertThat(declaration).contains("\"a\\\"]}; evil(); //\\u000a\\u2028\"(args?: unknown)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*/ evil(); /*",
                "</script><script>evil()</script>",
                "`; evil(); `",
                "${evil()}",
                "'; evil(); '",
                "\"}); evil(); ({\"",
                "\\\"; evil(); //",
                "}\n}\nevil();\n{",
                "\u2028evil()",
            })
    void hostileDeclarationContainsNoExecutableCode(String hostile) throws Exception {
        String text = new ObjectMapper().writeValueAsString(hostile);
        ToolSpec spec = new ToolSpec(
                new ToolName("b" + hostile.replace(".", ""), hostile),
                hostile,
                new Json("{\"type\":\"object\",\"description\":" + text + ",\"required\":[" + text
                        + "],\"properties\":{"
                        + text + ":{\"description\":" + text + ",\"enum\":[" + text + "]},\"b\":{\"const\":" + text
                        + "}}}"),
                ToolHints.READ_ONLY);
        String declaration = ToolDescription.declaration(
                spec, spec.name().backend(), spec.name().tool());

        try (ScriptParser reader = new ScriptParser(accepting(), null, () -> {})) {
            ParsedScript read = reader.parse(
                    new Script(declaration + "\nreturn 'read';", SourceLanguage.TYPESCRIPT), ScriptRole.SCRIPT);

            assertThat(read)
                    .isInstanceOfSatisfying(
                            ParsedScript.ScriptProgram.class,
                            program -> assertThat(program.functionExpression())
                                    .contains("return 'read';")
                                    .doesNotContain("evil"));
        }
    }

    private static SyntaxCheck accepting() {
        return new SyntaxCheck() {
            @Override
            public Optional<SyntaxError> checkBody(String body) {
                return Optional.empty();
            }

            @Override
            public Optional<SyntaxError> checkProgram(String program) {
                return Optional.empty();
            }
        };
    }
}
