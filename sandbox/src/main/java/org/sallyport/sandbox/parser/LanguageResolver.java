package org.sallyport.sandbox.parser;

import com.caoccao.javet.swc4j.ast.expr.Swc4jAstIdent;
import com.caoccao.javet.swc4j.ast.expr.lit.Swc4jAstNumber;
import com.caoccao.javet.swc4j.ast.interfaces.ISwc4jAst;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsKeywordType;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsLitType;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsPropertySignature;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsTypeParamInstantiation;
import com.caoccao.javet.swc4j.ast.ts.Swc4jAstTsTypeQuery;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.sallyport.sandbox.SourceLanguage;

/**
 * Parses a script in the language that was given for it. If none was given, the script is JavaScript if it is valid
 * JavaScript without type arguments, else TypeScript.
 */
final class LanguageResolver {
    private static final String IS_TYPESCRIPT = " (the script is TypeScript: submit it with the language typescript)";
    /** Matches, in linear time, wherever a call may have type arguments. */
    private static final Pattern TYPE_ARGUMENTS = Pattern.compile("[\\w$]<[^<>()=;]++>[>\\s]*+[(`]");
    /** Variables that each script has. */
    private static final Set<String> GLOBAL_VARIABLES = Set.of("args", "context");

    private final ProgramParser programs;

    LanguageResolver(ProgramParser programs) {
        this.programs = programs;
    }

    /**
     * Parses a script.
     *
     * @throws InvalidScriptException with the error of the language that was given, or that the script more likely has
     */
    ParsedScript parse(SourceText source) throws InvalidScriptException {
        Optional<ParsedScript.JsonToolCall> call = JsonCallParser.parse(source.code());
        if (call.isPresent()) {
            return call.get();
        }
        return switch (source.language()) {
            case TYPESCRIPT -> programs.parse(source);
            case JAVASCRIPT -> parseJavaScript(source);
            case UNSPECIFIED -> parseUnspecified(source);
        };
    }

    private ParsedScript parseJavaScript(SourceText source) throws InvalidScriptException {
        try {
            return programs.parse(source);
        } catch (InvalidScriptException invalid) {
            if (declaresNameTwice(invalid)
                    || parseAs(source, SourceLanguage.TYPESCRIPT).isEmpty()) {
                throw invalid;
            }
            throw new InvalidScriptException(
                    source.code(),
                    new SyntaxError(
                            invalid.error().message() + IS_TYPESCRIPT,
                            invalid.error().position()));
        }
    }

    private ParsedScript parseUnspecified(SourceText source) throws InvalidScriptException {
        ParsedScript program;
        try {
            program = programs.parse(source.withLanguage(SourceLanguage.JAVASCRIPT));
        } catch (InvalidScriptException asJavaScript) {
            if (declaresNameTwice(asJavaScript)) {
                throw asJavaScript;
            }
            return parseTypeScript(source, asJavaScript);
        }
        return hasTypeArguments(source)
                ? parseAs(source, SourceLanguage.TYPESCRIPT).orElse(program)
                : program;
    }

    /** Parses a script that is no valid JavaScript. */
    private ParsedScript parseTypeScript(SourceText source, InvalidScriptException asJavaScript)
            throws InvalidScriptException {
        try {
            return programs.parse(source.withLanguage(SourceLanguage.TYPESCRIPT));
        } catch (InvalidScriptException asTypeScript) {
            // The parser that reads further knows the language of the script.
            SourcePosition position = asTypeScript.error().position();
            throw position.isAfter(asJavaScript.error().position()) ? asTypeScript : asJavaScript;
        }
    }

    /**
     * An error of the engine, after the parser has read all as JavaScript. The transpiler would rename one of the two.
     */
    private static boolean declaresNameTwice(InvalidScriptException invalid) {
        return invalid.error().message().endsWith("has already been declared");
    }

    private Optional<ParsedScript> parseAs(SourceText source, SourceLanguage language) {
        try {
            return Optional.of(programs.parse(source.withLanguage(language)));
        } catch (InvalidScriptException invalid) {
            return Optional.empty();
        }
    }

    /**
     * Returns whether a script has type arguments where JavaScript has two comparisons with the result of the first, as
     * in {@code new Set<string>(list)}.
     */
    private boolean hasTypeArguments(SourceText source) {
        if (!isCandidate(source.code())) {
            return false;
        }
        return programs.parseTypeScriptTree(new SurrogateCodec(source.code()).encoded())
                .filter(tree -> !tree.typeArguments().isEmpty())
                .filter(tree -> tree.typeArguments().stream().allMatch(arguments -> areTypes(arguments, tree)))
                .isPresent();
    }

    /** Returns whether {@code code} may have type arguments. */
    static boolean isCandidate(String code) {
        return TYPE_ARGUMENTS.matcher(code).find();
    }

    /** Returns whether type arguments name no variable of the script, and are not only numbers. */
    private static boolean areTypes(Swc4jAstTsTypeParamInstantiation arguments, SyntaxTree tree) {
        Deque<ISwc4jAst> open = new ArrayDeque<>(arguments.getParams());
        while (!open.isEmpty()) {
            ISwc4jAst node = open.pop();
            if (node instanceof Swc4jAstTsPropertySignature member && !member.isComputed()) {
                // The name of a member is no use of a variable.
                member.getTypeAnn().ifPresent(open::push);
                continue;
            }
            boolean named = node instanceof Swc4jAstIdent || node instanceof Swc4jAstTsKeywordType;
            if (named && isVariable(tree.slice(node), tree)) {
                return false;
            }
            // A comparison of the text that `typeof` gives makes no sense, so its operand may be a variable.
            if (!(node instanceof Swc4jAstTsTypeQuery)) {
                node.getChildNodes().stream().filter(Objects::nonNull).forEach(open::push);
            }
        }
        return !arguments.getParams().stream()
                .allMatch(type ->
                        type instanceof Swc4jAstTsLitType literal && literal.getLit() instanceof Swc4jAstNumber);
    }

    private static boolean isVariable(String name, SyntaxTree tree) {
        return GLOBAL_VARIABLES.contains(name) || tree.isVariable(name);
    }
}
