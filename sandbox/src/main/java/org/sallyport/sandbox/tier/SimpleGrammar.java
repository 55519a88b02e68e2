package org.sallyport.sandbox.tier;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.source.Place;
import org.sallyport.sandbox.tier.Token.Gap;
import org.sallyport.sandbox.tier.Token.Kind;

/**
 * The grammar of scripts that are one call:
 *
 * <pre>
 * script   = [ "return" ] call { ";" }
 *          | ( "const" | "let" | "var" ) name [ ":" type ] "=" call [ end ( "return" name | name ) ] { ";" }
 * call     = [ "await" ] name member [ member ] "(" [ literal [ "," ] ] ")" { ( "as" | "satisfies" ) type }
 * member   = "." name | "[" string "]"
 * end      = ";" | a line end
 * </pre>
 *
 * A name that is declared must be awaited or returned, since otherwise nobody waits for the call.
 */
final class SimpleGrammar {

    /** The script is something else. */
    static final class NotSimple extends Exception {
        private static final long serialVersionUID = 1L;

        NotSimple() {
            super(null, null, false, false);
        }
    }

    private record Call(
            List<String> path, boolean awaited, @Nullable JsValue argument, int offset) {}

    private final String code;
    private final boolean typed;
    private final TokenStream words;

    SimpleGrammar(String code, boolean typed) {
        this.code = code;
        this.typed = typed;
        words = new TokenStream(code);
    }

    SimpleScript script() throws NotSimple {
        Token first = words.peek();
        if (first.isName("const") || first.isName("let") || first.isName("var")) {
            return declaration();
        }
        if (first.isName("return")) {
            words.take();
            words.require(!words.peek().newLine());
        }
        Call call = call();
        end();
        return made(call, true);
    }

    private SimpleScript declaration() throws NotSimple {
        words.take();
        Token name = words.takeKind(Kind.NAME);
        words.require(GlobalNames.mayDeclare(name.text()));
        if (typed && words.peek().is(":")) {
            words.take();
            new TypeGrammar(words).type();
        }
        words.takeSign("=");
        Call call = call();
        words.require(!call.path().get(0).equals(name.text()));
        boolean separated = words.peek().newLine();
        while (words.peek().is(";")) {
            words.take();
            separated = true;
        }
        if (words.peek().kind() == Kind.END) {
            words.require(call.awaited());
            return made(call, false);
        }
        words.require(separated);
        if (words.peek().isName("return")) {
            words.take();
            words.require(!words.peek().newLine());
        }
        words.require(words.takeKind(Kind.NAME).text().equals(name.text()));
        types();
        end();
        return made(call, true);
    }

    private Call call() throws NotSimple {
        boolean awaited = words.peek().isName("await");
        if (awaited) {
            words.take();
        }
        List<String> path = new ArrayList<>();
        path.add(words.takeKind(Kind.NAME).text());
        int offset = 0;
        boolean dotted = true;
        while (!words.peek().is("(")) {
            words.require(path.size() < 3);
            dotted = words.peek().is(".");
            if (dotted) {
                words.take();
                // After a rare blank the engine counts otherwise.
                words.require(words.peek().gap() != Gap.OTHER);
                offset = words.peek().start();
                path.add(words.takeKind(Kind.NAME).text());
            } else {
                words.takeSign("[");
                Token name = words.take();
                words.require(name.kind() == Kind.STRING || name.kind() == Kind.TEMPLATE);
                path.add(name.text());
                words.takeSign("]");
            }
        }
        words.require(path.size() >= 2);
        Token opening = words.takeSign("(");
        // The engine says the place of the last name, but where a comment or a bracket comes between, that of the "(".
        // What the type stripper makes of these, and the engine of a comment to the end of a line, is not to be relied
        // on.
        boolean plain = dotted && opening.gap() == Gap.PLAIN;
        words.require(plain || (!typed && opening.gap() != Gap.OTHER));
        JsValue argument = null;
        if (!words.peek().is(")")) {
            argument = new LiteralGrammar(words).value(0);
            if (words.peek().is(",")) {
                words.take();
            }
        }
        words.takeSign(")");
        types();
        return new Call(path, awaited, argument, plain ? offset : opening.start());
    }

    private void types() throws NotSimple {
        while (typed && (words.peek().isName("as") || words.peek().isName("satisfies"))) {
            words.require(!words.peek().newLine());
            words.take();
            words.require(!words.peek().isName("const"));
            new TypeGrammar(words).type();
        }
    }

    private void end() throws NotSimple {
        while (words.peek().is(";")) {
            words.take();
        }
        words.takeKind(Kind.END);
    }

    private SimpleScript made(Call call, boolean returned) {
        return new SimpleScript(
                List.copyOf(call.path()),
                Optional.ofNullable(call.argument()),
                returned,
                Place.at(code, call.offset()));
    }
}
