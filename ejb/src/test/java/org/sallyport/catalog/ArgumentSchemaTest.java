package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.testsupport.TimingAssertions;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** Schemas from tool servers, valid and hostile ones. */
class ArgumentSchemaTest {
    private static ArgumentSchema pattern(String pattern) {
        return ArgumentSchema.compile(
                new Json("{\"type\":\"object\",\"properties\":{\"a\":{\"pattern\":\"" + pattern + "\"}}}"));
    }

    private static Json of(String text) {
        return new Json("{\"a\":\"" + text + "\"}");
    }

    @Test
    void patternMatchesAnywhereInTheText() {
        assertThat(pattern("b+").validationError(of("abba"))).isEmpty();
        assertThat(pattern("^b+$").validationError(of("abba")))
                .hasValueSatisfying(error -> assertThat(error).startsWith("arguments/a"));
        assertThat(pattern("(?=.*x)[a-z]+").validationError(of("axe"))).isEmpty();
        assertThat(pattern("^[a-z]{3}$").validationError(of("x".repeat(100_000))))
                .isPresent();
    }

    @Test
    @Timeout(60)
    void catastrophicPatternIsAborted() {
        long start = System.nanoTime();
        for (String pattern : List.of("(x+x+)+y", "(.*x){25}b", "^(?:(x+)\\\\1*)+$")) {
            assertThat(pattern(pattern).validationError(of("x".repeat(5_000) + "!")))
                    .as(pattern)
                    .hasValueSatisfying(error -> assertThat(error).contains("not usable"));
        }
        TimingAssertions.assertAtMostSince(start, Duration.ofSeconds(30));
    }

    @Test
    void unreadableArgumentsAreAViolation() {
        Json named = new Json("{\"" + "n".repeat(60_000) + "\":1}");
        assertThat(pattern("x").validationError(named)).isPresent();
        assertThat(new CachingSchemaValidator().validate(new Json("{\"type\":\"object\"}"), named))
                .isPresent();
    }

    @Test
    @Timeout(60)
    void patternThatBranchesWithoutReadingIsRefusedOrAborted() {
        assertThat(problem("{\"pattern\":\"" + "(|)".repeat(40) + "x\"}")).contains("in too many ways");
        ArgumentSchema schema = pattern("^(?:(?:a?|b?)c?){6}(?:x+x+)+y");
        assertThat(schema.validationError(of("x".repeat(5_000)))).isPresent();
    }

    /** Patterns that try many paths, or large classes, at each place of a text. */
    @Test
    @Timeout(60)
    void workAtEachPlaceOfATextIsBounded() {
        String text = "x".repeat(1_000_000);
        assertThat(pattern("(?:|){9}[]").validationError(of(text))).isPresent();
        assertThat(pattern("(?:|){9}[]").validationError(of("x".repeat(100)))).isPresent();
        assertThat(pattern("x$").validationError(of(text))).isEmpty();
        StringBuilder manyRanges = new StringBuilder();
        for (int point = 0x4e00; manyRanges.length() < 9_000; point += 2) {
            manyRanges.appendCodePoint(point);
        }
        String lastOnes = manyRanges.substring(manyRanges.length() - 1).repeat(5_000);
        assertThat(pattern("(?:[" + manyRanges + "]*)y").validationError(of(lastOnes)))
                .isPresent();
        assertThat(pattern("^[" + manyRanges + "]*$").validationError(of(lastOnes)))
                .isEmpty();
    }

    /** Returns why a tool with this input schema cannot be used. */
    private static String problem(String schema) {
        return ToolCatalog.findUsabilityProblem(
                        new ToolSpec(new ToolName("b", "t"), "", new Json(schema), ToolHints.EFFECT))
                .orElse("usable");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '@',
            value = {
                "{`properties`:{`a`:{`pattern`:`(`}}}                 | the pattern '(' cannot be used: a parenthesis",
                "{`properties`:{`a`:{`pattern`:`^a++$`}}}             | the pattern '^a++$' cannot be used: there is",
                "{`properties`:{`a`:{`pattern`:`\\\\p{Foo}`}}}        | the Unicode property 'Foo' is not known",
                "{`properties`:{`a`:{`$ref`:`#/$defs/x`}}}            | /$defs/x cannot be resolved",
                "{`anyOf`:[{`items`:{`$ref`:`#/$defs/x`}}]}           | /$defs/x cannot be resolved",
                "{`properties`:{`a`:{`$ref`:`https://a.example/x`}}}  | 'https://a.example/x' leads outside the schema",
                "{`$schema`:`https://a.example/dialect`}              | names an unknown dialect: 'https://a.example",
                "{`$schema`:`http://json-schema.org/draft-03/schema`} | names an unknown dialect",
                "{`$ref`:`#`}                                         | it refers to itself without end",
                "{`allOf`:[{`$ref`:`#`}]}                             | it refers to itself without end",
                "{`$anchor`:`a`,`$ref`:`#a`}                          | it refers to itself without end",
                "{`$id`:`https://a.example/s`,`$ref`:`https://a.example/s`} | it refers to itself without end",
                "{`properties`:{`a`:{`$id`:`https://a.example/s`,`$ref`:`#/$defs/x`,`$defs`:"
                        + "{`x`:{`$ref`:`#/$defs/x`}}}}}              | it refers to itself without end",
            })
    void toolWithAnUnusableSchemaIsNotAcceptedForAReason(String schema, String reason) {
        assertThat(problem(schema.replace('`', '"')))
                .startsWith("its input schema cannot be used: ")
                .contains(reason);
    }

    @Test
    void schemaThatIsEvaluatedExponentiallyOftenIsRefused() {
        StringBuilder schema = new StringBuilder("{\"$ref\":\"#/$defs/l0\",\"$defs\":{");
        for (int i = 0; i < 40; i++) {
            String next = "{\"$ref\":\"#/$defs/l" + (i + 1) + "\"}";
            schema.append("\"l" + i + "\":{\"allOf\":[" + next + "," + next + "]},");
        }
        assertThat(problem(schema + "\"l40\":{}}}")).contains("schemas to one value");
        String anchors =
                schema.toString().replace("#/$defs/", "#").replaceAll("\"(l\\d+)\":\\{", "$0\"\\$anchor\":\"$1\",");
        assertThat(problem(anchors + "\"l40\":{\"$anchor\":\"l40\"}}}")).contains("schemas to one value");
    }

    @Test
    @Timeout(60)
    void evaluationThatMultipliesWithTheDepthOfAValueIsAborted() {
        Json schema = new Json("{\"properties\":{\"a\":{\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}}}");
        Json nested = new Json("{\"a\":".repeat(3) + "{}" + "}".repeat(3));
        Json deep = new Json("{\"a\":".repeat(60) + "{}" + "}".repeat(60));
        assertThat(ArgumentSchema.compile(schema).validationError(nested)).isEmpty();
        assertThat(ArgumentSchema.compile(schema).validationError(deep)).isPresent();
        assertThat(new CachingSchemaValidator().validate(schema, nested)).isEmpty();
        assertThat(new CachingSchemaValidator().validate(schema, deep)).isPresent();
    }

    @Test
    void largeValueIsValidated() {
        ArgumentSchema schema = ArgumentSchema.compile(new Json("{\"properties\":{\"a\":{\"items\":{\"anyOf\":["
                + "{\"type\":\"string\"},{\"type\":\"null\"},{\"type\":\"number\",\"minimum\":1}]}}}}"));
        String items = "1,".repeat(300_000);
        assertThat(schema.validationError(new Json("{\"a\":[" + items + "1]}"))).isEmpty();
        assertThat(schema.validationError(new Json("{\"a\":[" + items + "0]}"))).isPresent();
    }

    @Test
    void schemaWhoseReferencesRepeatLargePartsIsRefused() {
        StringBuilder references = new StringBuilder();
        for (int level = 1; level <= 200; level++) {
            references
                    .append("{\"$ref\":\"#")
                    .append("/properties/a".repeat(level))
                    .append("\"},");
        }
        String nested =
                "{\"properties\":{\"a\":".repeat(199) + "{\"enum\":[" + "0,".repeat(3_000) + "1]}" + "}}".repeat(199);
        String schema = "{\"$defs\":{\"r\":{\"prefixItems\":[" + references + "{}]}}," + "\"properties\":{\"a\":"
                + nested + "}}";
        assertThat(problem(schema)).contains("its references repeat more than");
    }

    /** Each line: schema, arguments that are valid, arguments that are not. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '@',
            value = {
                // Other names of dialects.
                "{`$schema`:`http://json-schema.org/schema#`,`required`:[`a`]}         | {`a`:1}        | {}",
                "{`$schema`:`https://json-schema.org/schema`,`required`:[`a`]}         | {`a`:1}        | {}",
                "{`$schema`:`http://json-schema.org/draft-07/schema`,`required`:[`a`]} | {`a`:1}        | {}",
                "{`$schema`:`https://json-schema.org/draft/2020-12/schema#`,`required`:[`a`]} | {`a`:1} | {}",
                "{`$schema`:null,`required`:[`a`]}                                     | {`a`:1}        | {}",
                "{`$schema`:`http://json-schema.org/draft-04/schema#`,"
                        + "`properties`:{`a`:{`minimum`:0,`exclusiveMinimum`:true}}}   | {`a`:1}        | {`a`:0}",
                "{`$schema`:`http://json-schema.org/draft-06/schema#`,"
                        + "`properties`:{`a`:{`type`:`number`,`exclusiveMinimum`:0}}}  | {`a`:1}        | {`a`:0}",
                "{`$schema`:`http://json-schema.org/draft-07/schema#`,`definitions`:{`p`:{`type`:`integer`,"
                        + "`exclusiveMinimum`:0}},`properties`:{`n`:{`$ref`:`#/definitions/p`}}} | {`n`:1} | {`n`:0}",
                "{`$schema`:`http://json-schema.org/draft-07/schema#`,`properties`:{`a`:{`items`:[{`type`:`string`},"
                        + "{`type`:`number`}],`additionalItems`:false}}}       | {`a`:[`x`,1]} | {`a`:[`x`,1,2]}",
                "{`$schema`:`http://json-schema.org/draft-07/schema#`,`dependencies`:{`a`:[`b`]}} | {`a`:1,`b`:1}"
                        + " | {`a`:1}",
                "{`$schema`:`https://json-schema.org/draft-07/schema#`,`properties`:{`a`:{`type`:`integer`}}} | {`a`:1}"
                        + " | {`a`:`1`}",
                "{`$schema`:`https://json-schema.org/draft/2019-09/schema`,`$defs`:{`s`:{`type`:`string`}},"
                        + "`properties`:{`a`:{`$ref`:`#/$defs/s`,`maxLength`:2}}} | {`a`:`xy`} | {`a`:`xyz`}",
                "{`$schema`:`https://json-schema.org/draft/2020-12/schema`,`properties`:{`a`:{`prefixItems`:"
                        + "[{`type`:`string`}],`items`:false}}}                | {`a`:[`x`]}    | {`a`:[`x`,1]}",
                // Keywords of older dialects without a name of the dialect.
                "{`properties`:{`a`:{`items`:[{`type`:`string`}]}}}                    | {`a`:[`x`,1]}  | {`a`:[1]}",
                "{`properties`:{`a`:{`items`:[{}],`additionalItems`:false}}}           | {`a`:[1]}      | {`a`:[1,2]}",
                "{`properties`:{`a`:{`minimum`:0,`exclusiveMinimum`:true}}}            | {`a`:1}        | {`a`:0}",
                "{`properties`:{`a`:{`maximum`:5,`exclusiveMaximum`:false}}}           | {`a`:5}        | {`a`:6}",
                "{`properties`:{`a`:{`minimum`:0,`exclusiveMinimum`:true,`const`:1}}}  | {`a`:1}        | {`a`:2}",
                "{`dependencies`:{`a`:[`b`]}}                                          | {`a`:1,`b`:1}  | {`a`:1}",
                "{`definitions`:{`p`:{`minimum`:1}},`properties`:{`a`:{`$ref`:`#/definitions/p`}}} | {`a`:1}"
                        + " | {`a`:0}",
                // Members beside a reference count.
                "{`$defs`:{`s`:{`type`:`string`}},`properties`:{`a`:{`$ref`:`#/$defs/s`,`maxLength`:1}}}"
                        + " | {`a`:`x`} | {`a`:`xy`}",
                // Null as in OpenAPI 3.0.
                "{`properties`:{`a`:{`type`:`string`,`nullable`:true}}}                | {`a`:null}     | {`a`:1}",
                "{`properties`:{`a`:{`type`:`string`,`nullable`:true,`enum`:[`x`]}}}   | {`a`:null}     | {`a`:`y`}",
                "{`properties`:{`a`:{`type`:[`string`,`number`],`nullable`:true}}}     | {`a`:null}     | {`a`:true}",
                "{`properties`:{`a`:{`allOf`:[{`type`:`string`}],`nullable`:true}}}    | {`a`:null}     | {`a`:1}",
                "{`nullable`:true,`allOf`:[{`$ref`:`#/$defs/o`}],`$defs`:{`o`:{`required`:[`a`]}}} | {`a`:1} | {}",
                "{`properties`:{`a`:{`type`:`string`,`nullable`:false}}}               | {`a`:`x`}      | {`a`:null}",
                "{`properties`:{`a`:{`enum`:[`x`,null]}}}                              | {`a`:null}     | {`a`:`y`}",
                // Combinations and references at the top.
                "{`type`:`object`,`anyOf`:[{`properties`:{`by`:{`const`:`id`},`id`:{`type`:`integer`}},"
                        + "`required`:[`by`,`id`]},{`properties`:{`by`:{`const`:`name`},`name`:{`type`:`string`}},"
                        + "`required`:[`by`,`name`]}]} | {`by`:`name`,`name`:`x`} | {`by`:`id`,`name`:`x`}",
                "{`type`:`object`,`anyOf`:[{`type`:`object`,`properties`:{`id`:{`type`:`integer`}},`required`:[`id`]},"
                        + "{`type`:`object`,`required`:[`name`]}]}             | {`id`:1}       | {}",
                "{`oneOf`:[{`type`:`object`,`required`:[`a`]},{`type`:`object`,`required`:[`b`]}]} | {`a`:1}"
                        + " | {`a`:1,`b`:1}",
                "{`$ref`:`#/$defs/i`,`$defs`:{`i`:{`properties`:{`q`:{`type`:`string`}},`required`:[`q`]}}} | {`q`:`x`}"
                        + " | {}",
                // Members that are not named, and those that may be left out.
                "{`properties`:{`a`:{`type`:`integer`}},`additionalProperties`:false}  | {`a`:1}     | {`a`:1,`b`:2}",
                "{`type`:`object`,`additionalProperties`:{`type`:`number`}}            | {`a`:1,`b`:2}  | {`a`:`1`}",
                "{`properties`:{`n`:{`type`:`integer`,`default`:7}}}                   | {}             | {`n`:`7`}",
                // Empty objects that PHP writes as lists.
                "{`type`:`object`,`properties`:[],`required`:[]}                       | {`a`:1}        | []",
                // Formats are not checked; an integer is one in any notation.
                "{`properties`:{`a`:{`type`:`string`,`format`:`date-time`}}}           | {`a`:`soon`}   | {`a`:1}",
                "{`properties`:{`a`:{`type`:`string`,`format`:`uri`}}}                 | {`a`:`a b`}    | {`a`:1}",
                "{`properties`:{`a`:{`type`:`integer`}}}                               | {`a`:3.0}      | {`a`:3.5}",
                "{`properties`:{`a`:{`type`:`integer`,`format`:`int64`,`minimum`:-9223372036854776000,"
                        + "`maximum`:9223372036854776000}}} | {`a`:9007199254740991} | {`a`:9300000000000000000}",
                // Data that looks like a schema.
                "{`properties`:{`nullable`:{`type`:`boolean`},`type`:{`type`:`string`}}} | {`nullable`:true}"
                        + " | {`nullable`:null}",
                "{`properties`:{`a`:{`const`:{`type`:`x`,`nullable`:true}}}}"
                        + " | {`a`:{`type`:`x`,`nullable`:true}} | {`a`:null}",
                // Recursion through members is no endless one.
                "{`properties`:{`a`:{`$ref`:`#`}},`additionalProperties`:false} | {`a`:{`a`:{}}} | {`a`:{`b`:1}}",
            })
    void schemaIsReadInTheDialectOfItsServer(String schema, String valid, String invalid) {
        ArgumentSchema compiled = ArgumentSchema.compile(new Json(schema.replace('`', '"')));
        assertThat(compiled.validationError(new Json(valid.replace('`', '"')))).isEmpty();
        assertThat(compiled.validationError(new Json(invalid.replace('`', '"'))))
                .isPresent();
    }

    /** The output of some schema generators. By the letter, the default does not replace the required member. */
    @Test
    void missingMemberWithADefaultIsNamed() {
        ArgumentSchema schema = ArgumentSchema.compile(
                new Json("{\"properties\":{\"n\":{\"type\":\"integer\",\"default\":7}},\"required\":[\"n\"]}"));
        assertThat(schema.validationError(Json.EMPTY_OBJECT))
                .hasValueSatisfying(error -> assertThat(error).contains("'n'"));
    }

    @Test
    void unreadableOutputSchemaIsNamedAndTheToolIsUsable() {
        ToolCatalog catalog = new ToolCatalog();
        Json output = new Json("{\"$schema\":\"https://a.example/dialect\",\"type\":\"objekt\"}");
        catalog.put(
                new CatalogBackend("b", "b", "queue"),
                List.of(new ToolSpec(
                        new ToolName("b", "t"), "", new Json("{}"), Optional.of(output), ToolHints.EFFECT)));
        CatalogTool tool = catalog.find(new ToolName("b", "t")).orElseThrow();
        assertThat(tool.unusable()).isEmpty();
        assertThat(tool.outputSchemaProblem())
                .hasValueSatisfying(reason -> assertThat(reason).contains("unknown dialect"));
        assertThat(tool.description().text())
                .contains("\"outputSchemaProblem\":\"", "Promise<unknown>", "https://a.example/dialect");
    }

    @Test
    void equalSchemasAreCompiledOnce() {
        Json schema = new Json("{\"required\":[\"only here\"]}");
        assertThat(ArgumentSchema.compile(schema))
                .isSameAs(ArgumentSchema.compile(new Json(schema.text())))
                .isNotSameAs(ArgumentSchema.compile(new Json("{}")));
        assertThat(schema.text()).isNotEmpty(); // keeps the key of the cache reachable
    }
}
