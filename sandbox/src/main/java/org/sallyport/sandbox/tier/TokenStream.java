package org.sallyport.sandbox.tier;

import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.tier.SimpleGrammar.NotSimple;
import org.sallyport.sandbox.tier.Token.Kind;

/** The words of a script, with a look at the next one. */
final class TokenStream {
    private final Tokens tokens;
    private @Nullable Token ahead;

    TokenStream(String code) {
        tokens = new Tokens(code);
    }

    Token peek() {
        Token next = ahead;
        if (next == null) {
            next = tokens.next();
            ahead = next;
        }
        return next;
    }

    Token take() {
        Token next = peek();
        ahead = null;
        return next;
    }

    Token takeSign(String sign) throws NotSimple {
        require(peek().is(sign));
        return take();
    }

    Token takeKind(Kind kind) throws NotSimple {
        require(peek().kind() == kind);
        return take();
    }

    void require(boolean condition) throws NotSimple {
        if (!condition) {
            throw new NotSimple();
        }
    }
}
